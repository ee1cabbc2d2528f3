// Deposits that left the chain and may yet come back, and the height from which it is counted that they did not.

import { query, type EntityManager } from '../../connection.ts';

/** A deposit that left the chain, with what its transaction spends. */
export interface LostDeposit {
  readonly id: string;
  readonly txHash: string;
  readonly spends: string;
}

/** A deposit whose transaction lost its place to another, which is mined at `height`. */
export interface DisplacedDeposit {
  readonly id: string;
  readonly height: number;
}

/** Asked about at once. More than these leave the chain together only where most of them come back. */
const LIMIT = 100;

/** Those that left the chain, are not given up, and are not known to be displaced; in another order each time. */
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

/** Counts the confirmations against deposits from where they were displaced. Answers their payments. */
export async function lowerOrphanedHeights(
  em: EntityManager,
  displaced: readonly DisplacedDeposit[],
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    em,
    `update deposit d set orphaned_height = g.height from unnest($1::text[], $2::bigint[]) as g(id, height)
     where d.id = g.id and d.block_height is null and not d.gone and d.orphaned_height > g.height
     returning d.payment_id as id`,
    [displaced.map(({ id }) => id), displaced.map(({ height }) => height)],
  );
  return rows.map((row) => row.id);
}

/** What displaced deposits may itself be above a height that the chain goes back to: counts from where they were. */
export async function restoreOrphanedHeights(em: EntityManager, network: string, above: number): Promise<void> {
  await query(
    em,
    `update deposit set orphaned_height = left_height
     where network = $1 and block_height is null and not gone and orphaned_height > $2 and orphaned_height < left_height`,
    [network, above],
  );
}
