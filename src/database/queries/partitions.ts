// The monthly partitions of history: makes those of the coming months, and drops those that are too old.

import { query, type EntityManager } from '../connection.ts';

/** Tables that can have partitions. */
export type Partitioned = 'api_log' | 'webhook_attempt';

/**
 * Makes the partitions up to three months after that of `now`. Returns how many it made; null where the table has none.
 */
export async function makePartitions(em: EntityManager, table: Partitioned, now: Date): Promise<number | null> {
  const [row] = await query<{ made: number | null }>(em, 'select make_partitions($1, $2) as made', [table, now]);
  return row?.made ?? null;
}

/**
 * Drops the oldest partition if all that it can hold is older than `before`. Returns whether there may be another one;
 * null where the table has no partitions. Attempts stay while a delivery of their partition waits for its next one.
 */
export async function dropPartition(em: EntityManager, table: Partitioned, before: Date): Promise<boolean | null> {
  const [row] = await query<{ more: boolean | null }>(em, 'select drop_partition($1, $2) as more', [table, before]);
  return row?.more ?? null;
}

/** Whether a table has partitions, and none for rows of `instant`: they go to the default one until there is. */
export async function endsBefore(em: EntityManager, table: Partitioned, instant: Date): Promise<boolean> {
  const [row] = await query<{ ends: boolean | null }>(
    em,
    `select max(upto collate "C") <= partition_bound($1, $2) collate "C" as ends from partitions_of($1)`,
    [table, instant],
  );
  return row?.ends === true;
}
