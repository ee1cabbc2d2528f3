// Counts the unpaid payments of a merchant's invoices that payers made without a token.

import { query, type EntityManager } from '../../connection.ts';

/** Unpaid payments of invoices have an index of their own, however many orders and invoices a merchant has. */
const STATEMENT = `
select count(*)::int as count from (
  select from (
    select id from payment where merchant_id = $1 and invoice_id is not null and status = 'PENDING' offset 0
  ) p
  cross join lateral (select without_token from quote where payment_id = p.id offset 0) q
  where q.without_token limit $2
) found`;

/** How many there are, counted up to a limit. */
export async function countUnpaidChoices(em: EntityManager, merchantId: string, limit: number): Promise<number> {
  const [row] = await query<{ count: number }>(em, STATEMENT, [merchantId, limit]);
  return row?.count ?? 0;
}
