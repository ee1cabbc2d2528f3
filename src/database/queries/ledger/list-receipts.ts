// Pages through the first credits of a merchant's deposits, newest first, each with what it was worth. The list is of
// the ledger's transactions, so that those of before there were receipts are in it.

import type { QueryConfig } from 'pg';
import { firstIdOf } from '../../../values/id.ts';
import { toDate } from '../../connection.ts';
import type { Readable } from '../../read-source.ts';
import { firstOf } from '../page-limit.ts';

/** What a list may be narrowed by. The page starts below the id `before`; dates are those of the credit. */
export interface ReceiptListFilter {
  readonly merchantId: string;
  readonly paymentId: string | null;
  readonly invoiceId: string | null;
  readonly from: Date | null;
  /** Exclusive. */
  readonly until: Date | null;
  readonly before: string | null;
}

/** A credit. Amounts are base units, fiat figures minor units, and rates decimals, all as texts. */
export interface ReceiptRow {
  /** Of the ledger's transaction. */
  readonly id: string;
  readonly creditedAt: Date;
  readonly paymentId: string;
  readonly invoiceId: string | null;
  readonly merchantOrderId: string | null;
  readonly merchantInvoiceId: string | null;
  readonly txHash: string;
  readonly currency: string;
  readonly network: string;
  readonly amount: string;
  readonly fiatCurrency: string | null;
  readonly rate: string | null;
  readonly rateAt: Date | null;
  readonly fiatAmount: string | null;
  readonly fiatFee: string | null;
  readonly reversedAt: Date | null;
}

/** A text above every id. */
const LAST = '~';

// The shape names its index's full order and a range of it, for the reason in list-payments.ts.
const ALL = firstOf(
  `select merchant_id, id from ledger_transaction where reference like 'credit/%/1'
    and (merchant_id, id) >= ($1, $2) and (merchant_id, id) < ($1, $3)`,
  'merchant_id desc, id desc',
  '$4',
);

/** A payment, or all of an invoice, has few deposits: each is looked up, with its first credit. */
const OF_PAYMENTS = `
select t.id from (
  select $5::text as id where $6::text is null or exists (select from quote where payment_id = $5 and invoice_id = $6)
  union all select payment_id from quote where $5::text is null and invoice_id = $6
) o
cross join lateral (select id from deposit where payment_id = o.id offset 0) d
cross join lateral (
  select id, merchant_id from ledger_transaction where reference = 'credit/' || d.id || '/1' offset 0) t
where t.merchant_id = $1 and t.id >= $2 and t.id < $3
order by t.id desc limit $4`;

const page = (ids: string) => `
with page as materialized (${ids})
select t.id, t.created_at as "creditedAt", d.payment_id as "paymentId", p.invoice_id as "invoiceId",
  p.merchant_order_id as "merchantOrderId", i.merchant_invoice_id as "merchantInvoiceId", d.tx_hash as "txHash",
  d.currency, d.network, d.amount::text as amount, r.fiat_currency as "fiatCurrency", r.rate::text as rate,
  r.rate_at as "rateAt", r.fiat_amount::text as "fiatAmount", r.fiat_fee::text as "fiatFee", x.created_at as "reversedAt"
from page
cross join lateral (select id, reference, created_at from ledger_transaction where id = page.id offset 0) t
cross join lateral (
  select id, payment_id, tx_hash, currency, network, amount, credits, credited from deposit
  where id = split_part(t.reference, '/', 2) offset 0) d
cross join lateral (select invoice_id, merchant_order_id from payment where id = d.payment_id offset 0) p
left join lateral (select merchant_invoice_id from invoice where id = p.invoice_id offset 0) i on true
left join lateral (
  select fiat_currency, rate, rate_at, fiat_amount, fiat_fee from receipt where deposit_id = d.id offset 0) r on true
left join lateral (
  select created_at from ledger_transaction
  where not d.credited and reference = 'reversal/' || d.id || '/' || d.credits offset 0) x on true
order by t.id desc`;

const STATEMENTS = { all: page(ALL), payments: page(OF_PAYMENTS) };

type Row = Omit<ReceiptRow, 'creditedAt' | 'rateAt' | 'reversedAt'> & {
  readonly creditedAt: string;
  readonly rateAt: string | null;
  readonly reversedAt: string | null;
};

/** A page of at most `limit` credits. */
export async function listReceipts(pool: Readable, filter: ReceiptListFilter, limit: number): Promise<ReceiptRow[]> {
  const { rows } = await pool.query<Row>(receiptPageOf(filter, limit));
  return rows.map((row) => ({
    ...row,
    creditedAt: toDate(row.creditedAt),
    rateAt: toDate(row.rateAt),
    reversedAt: toDate(row.reversedAt),
  }));
}

/** The statement of a page, prepared by name because planning it takes longer than running it. */
function receiptPageOf(filter: ReceiptListFilter, limit: number): QueryConfig {
  const { merchantId, paymentId, invoiceId, from, until, before } = filter;
  const start = from ? firstIdOf('ltx', from.getTime()) : '';
  const end = until ? firstIdOf('ltx', until.getTime()) : LAST;
  const values = [merchantId, start, before !== null && before < end ? before : end, limit];
  if (paymentId === null && invoiceId === null) return { name: 'list-receipts-all', text: STATEMENTS.all, values };
  return { name: 'list-receipts-payments', text: STATEMENTS.payments, values: [...values, paymentId, invoiceId] };
}
