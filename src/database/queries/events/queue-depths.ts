// How many events wait for what is done to them next.

import { query, type EntityManager } from '../../connection.ts';

/** Events are counted up to here: beyond that it does not matter how many more wait. */
const MOST_COUNTED = 100_000;

export interface QueueDepths {
  /** Committed events without a number, of which nobody was told yet. */
  readonly unnumbered: number;
  /** Numbered events that the relay has not read, to make their deliveries. */
  readonly notRelayed: number;
}

/** Reads both; by an index that holds nothing else, and by two counters. */
export async function readQueueDepths(em: EntityManager): Promise<QueueDepths> {
  const [row] = await query<{ unnumbered: number; not_relayed: number }>(
    em,
    `select (select count(*) from (select from event where position is null limit ${MOST_COUNTED}) few)::int as unnumbered,
       (coalesce((select last from event_counter where scope = 'position'), 0)
         - coalesce((select position from relay_cursor where name = 'webhooks'), 0))::float8 as not_relayed`,
  );
  return { unnumbered: row?.unnumbered ?? 0, notRelayed: Math.max(0, row?.not_relayed ?? 0) };
}
