// How many events wait to be numbered, and how many to be relayed.

import { query, type EntityManager } from '../../connection.ts';
import { IS_UNNUMBERED } from './number-events.ts';

/** Unnumbered events are counted up to here; beyond that the exact number does not matter. */
const MOST_COUNTED = 100_000;

export interface QueueDepths {
  /** Committed events without a number, so not published yet. */
  readonly unnumbered: number;
  /** Numbered events for which the relay has not made deliveries yet. */
  readonly notRelayed: number;
}

/** Reads both cheaply: from an index of unnumbered events only, and from two counters. */
export async function readQueueDepths(em: EntityManager): Promise<QueueDepths> {
  const [row] = await query<{ unnumbered: number; not_relayed: number }>(
    em,
    `select (select count(*) from (select from event where ${IS_UNNUMBERED} order by id limit ${MOST_COUNTED}) few)::int as unnumbered,
       (coalesce((select last from event_counter where scope = 'position'), 0)
         - coalesce((select position from relay_cursor where name = 'webhooks'), 0))::float8 as not_relayed`,
  );
  return { unnumbered: row?.unnumbered ?? 0, notRelayed: Math.max(0, row?.not_relayed ?? 0) };
}
