// The gateway's clock: the database's time, carried forward by a monotonic counter. Steps of this machine's clock move
// no deadline, and all processes agree.

import { query, type EntityManager } from './connection.ts';

export interface Clock {
  now(): Date;
}

export interface SyncedClock extends Clock {
  /** Reads the database's clock again. */
  sync(): Promise<void>;
}

/** Most readings per sync. A reading may be off by half of its duration, and a first or unlucky one may be slow. */
const MOST_READINGS = 5;
/** A reading that took at most this long is good enough. */
const GOOD_MS = 4;

/** Reads the database's clock and counts on from there. */
export function createDatabaseClock(em: EntityManager): Promise<SyncedClock> {
  return createClock(async () => {
    const statement = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as ms';
    const [row] = await query<{ ms: string }>(em, statement);
    return Number(row?.ms);
  });
}

/** Up to this much, a lead over a later reading is worked off by running at half speed instead of stepping back. */
const MOST_AHEAD_MS = 1_000;

/** A synced clock over any source of milliseconds since 1970; tests pass their own counter. */
export async function createClock(
  readMs: () => Promise<number>,
  countMs: () => number = () => performance.now(),
): Promise<SyncedClock> {
  let base = -Infinity;
  let syncedAt = 0;
  let aheadMs = 0;
  // Two readings differ by their inaccuracy, but events in order must get times in order: the clock never steps back by
  // so little.
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
