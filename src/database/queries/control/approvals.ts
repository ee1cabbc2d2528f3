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

/** A payout whose time to be approved has run out, or the batch that it is a row of. */
export interface Lapsed {
  readonly whole: string;
  readonly merchantId: string;
}

/** Payouts whose time to be approved has run out, the first of them first; those of halted networks wait. */
export async function findLapsed(em: EntityManager, now: Date, limit: number): Promise<Lapsed[]> {
  return query<Lapsed>(
    em,
    `select coalesce(batch_id, id) as whole, merchant_id as "merchantId" from payout
     where status = 'AWAITING_APPROVAL' and awaits_until <= $1
       and not exists (select from signing_halt h where h.network = payout.network)
     order by awaits_until, id limit $2`,
    [now, limit],
  );
}
