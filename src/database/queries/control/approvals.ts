// Payouts that wait for an approval.

import { query, type EntityManager } from '../../connection.ts';

/** More than anybody decides one by one. */
const MOST_LISTED = 1_000;

/**
 * The ids of a merchant's payouts that wait, the oldest of them; of a batch, which is decided whole, all rows or none.
 */
export async function findWaiting(em: EntityManager, merchantId: string, most = MOST_LISTED): Promise<string[]> {
  const rows = await query<{ id: string; batchId: string | null }>(
    em,
    `select id, batch_id as "batchId" from payout where merchant_id = $1 and status = 'AWAITING_APPROVAL'
     order by id limit $2`,
    [merchantId, most],
  );
  const ids = new Set(rows.map(({ id }) => id));
  if (rows.length < most) return [...ids];
  const batches = [...new Set(rows.flatMap(({ batchId }) => batchId ?? []))];
  for (const { id } of await readBatchIds(em, merchantId, batches)) ids.add(id);
  return [...ids];
}

/** The ids of the payouts of batches. */
export function readBatchIds(
  em: EntityManager,
  merchantId: string,
  batches: readonly string[],
): Promise<{ readonly id: string }[]> {
  return query(em, 'select id from payout where merchant_id = $1 and batch_id = any($2)', [merchantId, batches]);
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
