// Reads whose invoice a payer chooses a coin for, and whether a quote of that coin still holds.

import { query, type EntityManager } from '../../connection.ts';

export interface PayersInvoice {
  readonly merchantId: string;
  readonly isSuspended: boolean;
  /** Whether a quote of the asset holds, so that no other need be made. */
  readonly hasLiveQuote: boolean;
}

const STATEMENT = `
select i.merchant_id as "merchantId", m.suspended_at is not null as "isSuspended", exists (
  select from (select payment_id from quote where invoice_id = i.id and ends_at > $4 offset 0) q
  cross join lateral (select currency, network from payment where id = q.payment_id offset 0) p
  where p.currency = $2 and p.network = $3) as "hasLiveQuote"
from invoice i join merchant m on m.id = i.merchant_id where i.id = $1`;

/** The invoice with this id; null if there is none. An asset that does not exist has no quote. */
export async function readPayersInvoice(
  em: EntityManager,
  invoiceId: string,
  asset: { readonly currency: string; readonly network: string } | null,
  now: Date,
): Promise<PayersInvoice | null> {
  const rows = await query<PayersInvoice>(em, STATEMENT, [
    invoiceId,
    asset?.currency ?? null,
    asset?.network ?? null,
    now,
  ]);
  return rows[0] ?? null;
}
