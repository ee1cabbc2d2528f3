// One replica: whether it may be read from, and reads on it. Its place is looked at on the connection that is then read
// from, so that it does not matter which server a name or a balancer leads to.

import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { cutDeadConnections } from '../dead-connections.ts';
import type { ReadSource } from '../read-source.ts';
import { isLost, nameOf, openPool, sourceOf, type ReplicaOptions } from './connections.ts';
import { awaitPlace, lookAt, readPlace, type Lag } from './place.ts';
import type { WalPosition } from './wal-position.ts';

/** Why a replica did not answer: the labels of a metric. */
export const REFUSALS = ['behind', 'away', 'not-a-replica', 'conflict'] as const;
export type Refusal = (typeof REFUSALS)[number];

/** What became of a read on a replica. */
type Attempt<Result> = { readonly result: Result } | { readonly refusal: Refusal };

export interface Replica {
  readonly name: string;
  /** Why it is not worth trying; null if it is. */
  refusal(): Refusal | null;
  /** Reads that are under way or wait for a connection. */
  load(): number;
  /** Runs `work` once it has replayed the position, or says why it does not. Throws what `work` throws by itself. */
  attempt<Result>(position: WalPosition, work: (source: ReadSource) => Promise<Result>): Promise<Attempt<Result>>;
  /** Looks whether it may be used; returns why not, or null. */
  look(position: WalPosition): Promise<string | null>;
  /** As of the last look; null while it may not be used. */
  lag(): Lag | null;
  close(): Promise<void>;
}

/** How long the server is given to say whether it still works on a statement. */
const WORKS_WITHIN_MS = 2_000;
/** One that is behind is looked at ever more rarely, but at least so often. */
const [LOOK_FIRST_MS, LOOK_LAST_MS] = [2, 500];

/**
 * SQLSTATEs after which a read is repeated on the primary: it was canceled because of what is replayed (40001, 40P01),
 * the server stops or starts (57P01 to 57P05), or has too little of something (53). A statement that took too long
 * (57014) would do so there as well.
 */
const REPEATED = /^(40|53|57P)/;

/** Opens a replica, which need not be there yet. It is not read from before it was looked at. */
export function openReplica(options: ReplicaOptions): Replica {
  const { url, poolMax, pooled, primary } = options;
  const pool = openPool(options, poolMax);
  // Looks have a connection of their own: reports that take all others do not make a replica seem away.
  const looks = openPool(options, 1);
  const watch = cutDeadConnections(pool, { pooled, answerWithinMs: WORKS_WITHIN_MS });
  const state = createState();

  /** All its connections may be taken, which says nothing about the server. */
  function refusalOf(error: unknown): Refusal {
    if (pool.totalCount < pool.options.max || !/timeout exceeded/.test(String(error))) state.note('away');
    return 'away';
  }

  async function attempt<Result>(position: WalPosition, work: (source: ReadSource) => Promise<Result>) {
    const client = await pool.connect().catch(refusalOf);
    if (typeof client === 'string') return { refusal: client };
    let isWorking = false;
    try {
      // A pooler may lead each transaction to another server.
      if (pooled) await client.query('begin read only');
      const place = await awaitPlace(client, position);
      if (place === 'behind') state.waitFor(() => readPlace(looks, position));
      if (place === 'not-a-replica') state.note(place);
      isWorking = true;
      const done = place === 'there' ? { result: await work(sourceOf(client, primary.em)) } : { refusal: place };
      if (pooled) await client.query('commit');
      client.release();
      return done;
    } catch (error) {
      const isCut = isLost(client, error);
      client.release(isCut || pooled || !isWorking);
      if (isCut || !isWorking) return { refusal: refusalOf(error) };
      if (error instanceof pg.DatabaseError && REPEATED.test(error.code ?? '')) return { refusal: 'conflict' as const };
      throw error;
    }
  }

  return {
    name: nameOf(url),
    refusal: state.refusal,
    load: () => pool.totalCount - pool.idleCount + pool.waitingCount,
    attempt,
    look: async (position) => state.found(await lookAt(looks, position)),
    lag: state.lag,
    close: async () => {
      state.close();
      watch.stop();
      await Promise.all([pool.end(), looks.end()]);
    },
  };
}

/** What is known of a replica between looks. */
function createState() {
  let fault: string | null = 'it was not looked at yet';
  let lag: Lag | null = null;
  let isBehind = false;
  let isClosed = false;

  /** Looks until a place that a read has waited for in vain is reached: as long, all other reads need not wait. */
  async function catchUp(look: () => ReturnType<typeof readPlace>): Promise<void> {
    for (let ms = LOOK_FIRST_MS; !isClosed && fault === null; ms = Math.min(2 * ms, LOOK_LAST_MS)) {
      if ((await look()) !== 'behind') return;
      await rest(ms, undefined, { ref: false });
    }
  }

  return {
    refusal: (): Refusal | null => {
      if (fault !== null) return 'away';
      return isBehind ? 'behind' : null;
    },
    /** What a read has found out, until the next look. */
    note: (refusal: 'away' | 'not-a-replica'): void => {
      fault ??= refusal === 'away' ? 'it does not answer' : 'it is not a replica of this primary';
    },
    waitFor: (look: () => ReturnType<typeof readPlace>): void => {
      if (isBehind) return;
      isBehind = true;
      // What fails here shows at the next look.
      void catchUp(look)
        .catch(() => undefined)
        .finally(() => (isBehind = false));
    },
    /** What a look has found. */
    found: (found: Lag | string): string | null => {
      lag = typeof found === 'string' ? null : found;
      fault = typeof found === 'string' ? found : null;
      return fault;
    },
    lag: () => lag,
    close: () => void (isClosed = true),
  };
}
