// Payouts that wait for an approval.

import { query, type EntityManager } from '../../connection.ts';

/** More than anybody decides one by one. */
const MOST_LISTED = 1_000;

/** The ids of a merchant's payouts that wait, oldest first. */
export async function findWaiting(em: EntityManager, merchantId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `select id from payout where merchant_id = $1 and status = 'AWAITING_APPROVAL' order by id limit $2`,
    [merchantId, MOST_LISTED],
  );
  return rows.map(({ id }) => id);
}

/** The ids of payouts whose time to be approved has run out, the first of them first. */
export async function findLapsed(em: EntityManager, now: Date, limit: number): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `select id from payout where status = 'AWAITING_APPROVAL' and awaits_until <= $1
     order by awaits_until, id limit $2`,
    [now, limit],
  );
  return rows.map(({ id }) => id);
}
