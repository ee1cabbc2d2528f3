// How long work waited for a connection of the pool, and how often it got none.

import type { Pool, PoolClient } from 'pg';
import { createTimings, type Timings } from '../values/timings.ts';

export interface PoolWaits {
  /** Of all that asked for a connection, whether they got one or not. */
  readonly timings: Timings;
  /** How many got none, because of the time limit or a server that is away. */
  failures: number;
}

type Done = (error: Error | undefined, client: PoolClient | undefined, release: (release?: unknown) => void) => void;

/** Measures the waits of a pool from now on. */
export function measureWaits(pool: Pool): PoolWaits {
  const waits: PoolWaits = { timings: createTimings(), failures: 0 };
  const connect = pool.connect.bind(pool) as (done: Done) => void;
  const measured = (done: Done): void => {
    const startedAt = performance.now();
    connect((error, client, release) => {
      waits.timings.add((performance.now() - startedAt) / 1_000);
      if (error) waits.failures += 1;
      done(error, client, release);
    });
  };
  // `pool.query` calls it with a callback, transactions without one.
  pool.connect = ((done?: Done) =>
    done
      ? measured(done)
      : new Promise<PoolClient | undefined>((resolve, reject) => {
          measured((error, client) => (error ? reject(error) : resolve(client)));
        })) as typeof pool.connect;
  return waits;
}
