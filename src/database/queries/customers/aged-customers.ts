// Finds the orders that are older than their merchant keeps what names customers.

import { query, type EntityManager } from '../../connection.ts';

/** A merchant, and after how many days what names their customers is removed. */
export interface KeepingMerchant {
  readonly id: string;
  readonly days: number;
}

/** The first merchant after an id who does not keep it for good; `most` is the operator's limit, null for none. */
export async function nextKeepingMerchant(
  em: EntityManager,
  after: string,
  most: number | null,
): Promise<KeepingMerchant | null> {
  const [row] = await query<KeepingMerchant>(
    em,
    `select id, least(customer_data_days, $2::int) as days from merchant
     where id > $1 and ($2::int is not null or customer_data_days is not null) order by id limit 1`,
    [after, most],
  );
  return row ?? null;
}

/** Where to look: orders of a merchant with ids after `after` and before `before`. */
export interface AgedOrders {
  readonly merchantId: string;
  readonly after: string;
  readonly before: string;
  readonly limit: number;
}

/** The next payments without an invoice that name somebody. */
export async function findAgedPayments(em: EntityManager, asked: AgedOrders): Promise<string[]> {
  const { merchantId, after, before, limit } = asked;
  const rows = await query<{ id: string }>(
    em,
    `select id from payment where merchant_id = $1 and id > $2 and id < $3 and invoice_id is null
       and (customer_email is not null or metadata is not null or return_url is not null)
     order by merchant_id, id limit $4`,
    [merchantId, after, before, limit],
  );
  return rows.map(({ id }) => id);
}

/** The next invoices that name somebody. */
export async function findAgedInvoices(em: EntityManager, asked: AgedOrders): Promise<string[]> {
  const { merchantId, after, before, limit } = asked;
  const rows = await query<{ id: string }>(
    em,
    `select id from invoice where merchant_id = $1 and id > $2 and id < $3
       and (customer_email is not null or customer is not null or metadata is not null or return_url is not null)
     order by merchant_id, id limit $4`,
    [merchantId, after, before, limit],
  );
  return rows.map(({ id }) => id);
}
