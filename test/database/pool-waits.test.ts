// How long work waits for a connection of the pool is measured, and that some got none.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase, DATABASE_PATIENCE, query, type Database } from '../../src/database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { untilPasses } from '../support/until.ts';

let database: TestDatabase;
let db: Database;

beforeAll(async () => {
  database = await createTestDatabase();
  const log = pino({ level: 'silent' });
  db = await connectDatabase({
    url: database.url,
    poolMax: 1,
    log,
    patience: { ...DATABASE_PATIENCE, connection: 5_000 },
  });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const counted = () => db.waits.timings.byTime.reduce((sum, count) => sum + count, 0);

it('counts each wait, with its time, whether it is for a statement, a transaction or the driver', async () => {
  const before = [counted(), db.waits.timings.seconds] as const;
  const held = await db.pool.connect();
  const waiting = [
    query(db.em, 'select 1'),
    db.pool.query('select 1'),
    db.em.fork().transactional((em) => query(em, 'select 1')),
  ];
  await untilPasses(() => expect(db.pool.waitingCount).toBe(3));
  const allWaitAt = performance.now();
  await untilPasses(() => expect(performance.now() - allWaitAt).toBeGreaterThan(100));
  held.release();
  await Promise.all(waiting);
  expect(counted() - before[0]).toBe(4);
  expect(db.waits.timings.seconds - before[1]).toBeGreaterThan(0.3);
  expect(db.waits.failures).toBe(0);
});

it('counts who got none, too, and passes the error on', async () => {
  const held = await db.pool.connect();
  const before = counted();
  const waiting = [query(db.em, 'select 1'), db.pool.query('select 1')];
  await Promise.all(waiting.map((one) => expect(one).rejects.toThrow(/timeout exceeded/)));
  held.release();
  expect(db.waits.failures).toBe(2);
  expect(counted() - before).toBe(2);
});
