// The settings that every connection of the gateway has, whatever the defaults of the server, the database or the role.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase, query, type EntityManager } from '../../src/database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { COMMIT, startPostgresProxy } from '../support/proxies/postgres-proxy.ts';

let database: TestDatabase;
beforeAll(async () => void (database = await createTestDatabase()));
afterAll(() => database.drop());

/** The synchronous_commit of a transaction on each of several connections at once. */
async function committedWith(): Promise<string[]> {
  const db = await connectDatabase({ url: database.url, poolMax: 3, log: pino({ level: 'silent' }) });
  try {
    const show = async () => {
      const [row] = await query<{ value: string }>(
        db.em,
        `select current_setting('synchronous_commit') as value, pg_sleep(0.02)`,
      );
      return row?.value ?? '';
    };
    return await Promise.all([show(), show(), show()]);
  } finally {
    await db.close();
  }
}

describe('a connection', () => {
  it.each([
    ['off', 'on'],
    ['local', 'on'],
    ['remote_write', 'on'],
    ['on', 'on'],
    ['remote_apply', 'remote_apply'],
  ])('commits safely where the database is set to synchronous_commit = %s: with %s', async (given, kept) => {
    const name = new URL(database.url).pathname.slice(1);
    await database.sql(`alter database ${name} set synchronous_commit = '${given}'`);
    expect(await committedWith()).toEqual([kept, kept, kept]);
  });
});

describe('a transaction whose connection is cut', () => {
  const PLACES = 2;

  /** Runs transactions that end as this does, more often than the pool has places, and then one that does not. */
  async function expectPlacesBack(url: string, cut: (em: EntityManager) => Promise<unknown>): Promise<void> {
    const db = await connectDatabase({ url, poolMax: PLACES, log: pino({ level: 'silent' }) });
    try {
      for (let nth = 0; nth < 2 * PLACES; nth += 1)
        await expect(db.em.fork().transactional(cut)).rejects.toThrow(/terminat|ECONNRESET/i);
      await expect(db.em.fork().transactional((em) => query(em, 'select 1 as one'))).resolves.toEqual([{ one: 1 }]);
      expect(db.pool.totalCount).toBeLessThanOrEqual(PLACES);
      expect(db.pool.waitingCount).toBe(0);
    } finally {
      await db.close();
    }
  }

  it('by the server, in its midst: its place in the pool is free again', async () => {
    await expectPlacesBack(database.url, (em) => query(em, 'select pg_terminate_backend(pg_backend_pid())'));
  });

  it.each([
    ['begin', /^Q[^]{4}begin\0/i],
    ['commit', COMMIT],
  ])('by the network, at its %s: its place in the pool is free again', async (_at, statement) => {
    const proxy = await startPostgresProxy(database.url);
    let isCutting = true;
    const cutNext = () => {
      if (isCutting)
        void proxy.catchNext(statement, 'before').then((cut) => {
          cut();
          cutNext();
        });
    };
    const db = await connectDatabase({ url: proxy.url, poolMax: PLACES, log: pino({ level: 'silent' }) });
    try {
      cutNext();
      const run = () => db.em.fork().transactional((em) => query(em, 'select 1 as one'));
      for (let nth = 0; nth < 2 * PLACES; nth += 1) await expect(run()).rejects.toThrow(/terminat|ECONNRESET/i);
      isCutting = false;
      await run().catch(() => undefined); // the last trap
      await expect(run()).resolves.toEqual([{ one: 1 }]);
    } finally {
      await db.close();
      await proxy.stop();
    }
  });
});
