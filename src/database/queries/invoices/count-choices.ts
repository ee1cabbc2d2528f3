// Counts the unpaid payments of a merchant's invoices that payers made without a token.

import { query, type EntityManager } from '../../connection.ts';

/** Unpaid payments of invoices have an index of their own, however many orders and invoices a merchant has. */
const STATEMENT = `
select count(*)::int as count from (
  select 1 from (
    with unpaid as materialized (
      select id from payment where merchant_id = $1 and invoice_id is not null and status = 'PENDING')
    select id from unpaid) p
  where exists (select 1 from quote q where q.payment_id = p.id and q.without_token)
  limit $2) found`;

/** How many there are, counted up to a limit. */
export async function countUnpaidChoices(em: EntityManager, merchantId: string, limit: number): Promise<number> {
  const [row] = await query<{ count: number }>(em, STATEMENT, [merchantId, limit]);
  return row?.count ?? 0;
}
