// Work that only one process of a deployment does at a time, on a real PostgreSQL: two pools stand for two processes.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { withAdvisoryLock } from '../../src/database/advisory-lock.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
let pools: pg.Pool[];
beforeAll(async () => {
  database = await createTestDatabase();
  pools = [0, 1].map(() => new pg.Pool({ connectionString: database.url, max: 3 }));
  // As MikroORM does for its pool: an idle connection may be lost.
  for (const pool of pools) pool.on('connect', (client) => client.on('error', () => undefined));
});
afterAll(async () => {
  for (const pool of pools) await pool.end();
  await database.drop();
});

/** Work that takes a moment, and how many of it ran at once at most. */
function measured() {
  let running = 0;
  const seen = { most: 0, done: 0 };
  const work = async () => {
    running += 1;
    seen.most = Math.max(seen.most, running);
    await rest(5);
    running -= 1;
    seen.done += 1;
  };
  return { seen, work };
}

describe('exclusive work', () => {
  it('is done by one process at a time, each in its turn', async () => {
    const { seen, work } = measured();
    await Promise.all(
      Array.from({ length: 20 }, (_, nth) => withAdvisoryLock(pools[nth % 2] as pg.Pool, 'chain', work)),
    );
    expect(seen).toEqual({ most: 1, done: 20 });
  });

  it('of another name does not wait for it', async () => {
    const running = new Set<string>();
    // Each ends only once it has seen the other run.
    const all = ['one', 'other'].map((name, nth) =>
      withAdvisoryLock(pools[nth] as pg.Pool, name, async () => {
        running.add(name);
        await until(() => running.size === 2);
      }),
    );
    await Promise.all(all);
  });

  it('gives its result or its error, and lets the next one in either way', async () => {
    const [one, other] = pools as [pg.Pool, pg.Pool];
    expect(await withAdvisoryLock(one, 'chain', () => Promise.resolve(7))).toBe(7);
    await expect(withAdvisoryLock(one, 'chain', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await withAdvisoryLock(other, 'chain', () => Promise.resolve(8))).toBe(8);
  });

  it('of a process that lost its connection lets the next one in', async () => {
    const [one, other] = pools as [pg.Pool, pg.Pool];
    const first = withAdvisoryLock(one, 'chain', async () => {
      // Limited to this database, since the cluster has those of other test files too.
      await database.sql(
        `select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
         where l.locktype = 'advisory' and d.datname = current_database()`,
      );
      return withAdvisoryLock(other, 'chain', () => Promise.resolve('second'));
    });
    expect(await first).toBe('second');
    expect(await withAdvisoryLock(one, 'chain', () => Promise.resolve('third'))).toBe('third');
  });

  it('is not begun where the database cannot be asked', async () => {
    const nowhere = new pg.Pool({ host: '127.0.0.1', port: 1 });
    let begun = false;
    const work = async () => void (begun = true);
    await expect(withAdvisoryLock(nowhere, 'chain', work)).rejects.toThrow();
    expect(begun).toBe(false);
    await nowhere.end();
  });
});
