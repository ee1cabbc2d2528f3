// Deposits that left the chain and may come back, and the height from which their loss is counted.

import { query, type EntityManager } from '../../connection.ts';

/** A deposit that left the chain, with what its transaction spends. */
export interface LostDeposit {
  readonly id: string;
  readonly txHash: string;
  readonly spends: string;
}

/** A deposit whose transaction was replaced by a conflicting one, mined at `height`. */
export interface ConflictedDeposit {
  readonly id: string;
  readonly height: number;
}

/** How many are asked about at once. When more leave the chain together, most of them come back. */
const LIMIT = 100;

/** Deposits that left the chain, are not gone for good, and have no known conflict; in random order. */
export async function findLostDeposits(em: EntityManager, network: string): Promise<LostDeposit[]> {
  return query<LostDeposit>(
    em,
    `select id, tx_hash as "txHash", spends from deposit
     where network = $1 and block_height is null and not gone and orphaned_height is not null and spends is not null
       and orphaned_height >= coalesce(left_height, orphaned_height)
     order by random() limit $2`,
    [network, LIMIT],
  );
}

/**
 * Counts the confirmations against deposits from the blocks of the conflicting transactions. Returns their payments.
 */
export async function lowerOrphanedHeights(
  em: EntityManager,
  conflicted: readonly ConflictedDeposit[],
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `update deposit d set orphaned_height = g.height from unnest($1::text[], $2::bigint[]) as g(id, height)
     where d.id = g.id and d.block_height is null and not d.gone and d.orphaned_height > g.height
     returning d.payment_id as id`,
    [conflicted.map(({ id }) => id), conflicted.map(({ height }) => height)],
  );
  return rows.map((row) => row.id);
}

/**
 * Undoes `lowerOrphanedHeights` for conflicts above the height that the chain goes back to: the conflicting transaction
 * may leave the chain as well, so the loss is counted from where the deposit left.
 */
export async function restoreOrphanedHeights(em: EntityManager, network: string, above: number): Promise<void> {
  await query(
    em,
    `update deposit set orphaned_height = left_height
     where network = $1 and block_height is null and not gone and orphaned_height > $2 and orphaned_height < left_height`,
    [network, above],
  );
}
