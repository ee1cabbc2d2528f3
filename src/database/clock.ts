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

/** What it is ahead of a later reading by, up to this, is taken back while it goes on: at half its pace. */
const MOST_AHEAD_MS = 1_000;

/** The same of any clock that is read in milliseconds since 1970; a test counts in its own way. */
export async function createClock(
  readMs: () => Promise<number>,
  countMs: () => number = () => performance.now(),
): Promise<SyncedClock> {
  let base = -Infinity;
  let syncedAt = 0;
  let aheadMs = 0;
  // Two readings differ by what they took, and whatever was done in order has to be dated in that order: it does not go
  // back by so little.
  const ahead = (count: number) => Math.max(0, aheadMs - (count - syncedAt) / 2);
  const time = (count: number) => base + count + ahead(count);
  const sync = async () => {
    let quickestMs = Infinity;
    let best = 0;
    for (let nth = 0; nth < MOST_READINGS && quickestMs > GOOD_MS; nth += 1) {
      const before = countMs();
      const read = await readMs();
      const after = countMs();
      if (after - before >= quickestMs) continue;
      quickestMs = after - before;
      best = read - (before + after) / 2;
    }
    const count = countMs();
    const over = time(count) - (best + count);
    [base, syncedAt, aheadMs] = [best, count, over <= MOST_AHEAD_MS ? Math.max(0, over) : 0];
  };
  await sync();
  return { sync, now: () => new Date(Math.floor(time(countMs()))) };
}
