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

/** A reading may be wrong by half of what it took: the first one connects, and a busy machine is slow now and then. */
const MOST_READINGS = 5;
/** A reading that took no longer is good enough. */
const GOOD_MS = 4;

/** Reads the database's clock once and counts on from there. */
export function createDatabaseClock(em: EntityManager): Promise<SyncedClock> {
  return createClock(async () => {
    const statement = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms';
    const [row] = await query<{ ms: string }>(em, statement);
    return Number(row?.ms);
  });
}

/** The same of any clock that is read in milliseconds since 1970; a test counts in its own way. */
export async function createClock(
  readMs: () => Promise<number>,
  countMs: () => number = () => performance.now(),
): Promise<SyncedClock> {
  let base = 0;
  const sync = async () => {
    let quickestMs = Infinity;
    for (let nth = 0; nth < MOST_READINGS && quickestMs > GOOD_MS; nth += 1) {
      const before = countMs();
      const read = await readMs();
      const after = countMs();
      if (after - before >= quickestMs) continue;
      quickestMs = after - before;
      base = read - (before + after) / 2;
    }
  };
  await sync();
  return { sync, now: () => new Date(Math.floor(base + countMs())) };
}
