// The gateway's clock: the database's time carried forward by a monotonic counter, so that steps of this machine's
// clock move no deadline and several processes agree.

import { query, type EntityManager } from './connection.ts';

export interface Clock {
  now(): Date;
}

export interface SyncedClock extends Clock {
  /** Reads the database's clock again. */
  sync(): Promise<void>;
}

/** Reads the database's clock once and counts on from there. */
export async function createDatabaseClock(em: EntityManager): Promise<SyncedClock> {
  let base = 0;
  const sync = async () => {
    const before = performance.now();
    const [row] = await query<{ ms: string }>(
      em,
      'select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms',
    );
    const after = performance.now();
    base = Number(row?.ms) - (before + after) / 2;
  };
  await sync();
  return { sync, now: () => new Date(Math.floor(base + performance.now())) };
}
