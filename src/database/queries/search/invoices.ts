// Finds invoices by the beginning of their id, their reference or the customer's e-mail address, as payments are found.

import type { Readable } from '../../read-source.ts';
import { SELECT_INVOICE, toReadInvoice, type InvoiceQueryRow, type ReadInvoice } from '../invoices/read-invoices.ts';
import { beginning, idsBeginning } from '../text-key.ts';
import type { Sought } from './payments.ts';

const WAYS = [
  idsBeginning('invoice', '$4'),
  beginning({ table: 'invoice', column: 'merchant_invoice_id', isByIdToo: true }, '$4'),
  beginning({ table: 'invoice', column: 'customer_email', isByIdToo: false }, '$4'),
];
const STATEMENT = `
with found as materialized (
  select distinct id from (${WAYS.map((way) => `(${way})`).join(' union all ')}) each order by id desc limit $4
)
select invoice.* from found cross join lateral (${SELECT_INVOICE} where i.id = found.id offset 0) invoice
order by invoice.id desc`;

/** At most `limit` invoices, newest first. */
export async function searchInvoices(
  pool: Readable,
  { merchantId, text, id }: Pick<Sought, 'merchantId' | 'text' | 'id'>,
  limit: number,
): Promise<ReadInvoice[]> {
  const values = [merchantId, text, id, limit];
  const { rows } = await pool.query<InvoiceQueryRow>({ name: 'search-invoices', text: STATEMENT, values });
  return rows.map(toReadInvoice);
}
