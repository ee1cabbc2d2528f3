// How many events wait to be numbered and to be relayed, and for how long.

import { query, type EntityManager } from '../../connection.ts';
import { IS_UNNUMBERED } from './number-events.ts';

/** Unnumbered events are counted up to here; beyond that the exact number does not matter. */
const MOST_COUNTED = 100_000;

export interface QueueDepths {
  /** Committed events without a number, so not published yet. */
  readonly unnumbered: number;
  /** Numbered events for which the relay has not made deliveries yet. */
  readonly notRelayed: number;
  /** For how long the first of each has waited; 0 if none does. */
  readonly unnumberedSeconds: number;
  readonly notRelayedSeconds: number;
}

/**
 * Reads them cheaply: from an index of unnumbered events only, from two counters, and one event each by its place in an
 * index.
 */
export async function readQueueDepths(em: EntityManager): Promise<QueueDepths> {
  const [row] = await query<QueueDepths>(
    em,
    `with relayed as (select coalesce((select position from relay_cursor where name = 'webhooks'), 0) as up_to)
     select (select count(*) from (
         select from event where ${IS_UNNUMBERED} order by id limit ${MOST_COUNTED}) few)::int as unnumbered,
       greatest(0, coalesce((select last from event_counter where scope = 'position'), 0) - up_to)::float8 as "notRelayed",
       ${ageOf(`select created_at from event where ${IS_UNNUMBERED} order by id limit 1`)} as "unnumberedSeconds",
       ${ageOf('select created_at from event where position > up_to order by position limit 1')} as "notRelayedSeconds"
     from relayed`,
  );
  return row ?? { unnumbered: 0, notRelayed: 0, unnumberedSeconds: 0, notRelayedSeconds: 0 };
}

/** The seconds since the time that a statement finds; 0 if it finds none. */
const ageOf = (created: string): string => `greatest(0, coalesce(extract(epoch from now() - (${created})), 0))::float8`;
