// A conversion of history that is killed at any of its statements, or as one is answered: nothing is lost, programs go
// on writing, and it is finished when it is run again.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase, type Database } from '../../src/database/connection.ts';
import { SCHEMA_STEPS } from '../../src/database/migrations/index.ts';
import { partitionHistory } from '../../src/database/partition.ts';
import { makePartitions, type Partitioned } from '../../src/database/queries/partitions.ts';
import { newId } from '../../src/values/id.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { startPostgresProxy, type PostgresProxy } from '../support/proxies/postgres-proxy.ts';

const TABLES: readonly Partitioned[] = ['api_log', 'webhook_attempt'];
const NOW = new Date(Date.UTC(2025, 0, 20));
const NEXT_MONTH = new Date(Date.UTC(2025, 1, 3));

let database: TestDatabase;
let db: Database;

beforeEach(async () => {
  database = await createTestDatabase();
  db = await connect(database.url);
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

const connect = (url: string): Promise<Database> =>
  connectDatabase({
    ...{ url, poolMax: 4, log: pino({ level: 'silent' }), steps: SCHEMA_STEPS, patience: PATIENT_DATABASE },
  });

async function write(at: Date): Promise<void> {
  await database.sql(
    `insert into api_log (request_id, at, method, path, status, duration_ms, ip) values ('r', $1, 'GET', '/', 200, 1, '::1')`,
    [at],
  );
  await database.sql(
    `insert into webhook_attempt (delivery_id, attempt, at, url, response_time_ms, response_start)
     values ($1, 1, $2, 'http://a.test', 5, 'Ann')`,
    [newId('dlv', at.getTime()), at],
  );
}

const read = async (): Promise<unknown[]> => [
  await database.sql('select * from api_log order by id'),
  await database.sql('select * from webhook_attempt order by delivery_id'),
];

/** Every statement of dividing a table that changes something, in their order; the last is the end of it all. */
const statementsOf = (table: string): readonly (readonly [what: string, text: RegExp | 'commit'])[] => [
  ['the check is made', new RegExp(`alter table ${table} add constraint`)],
  ['the check is validated', new RegExp(`alter table ${table} validate constraint`)],
  ['the table is locked', new RegExp(`lock table ${table} in access exclusive`)],
  ['the table is renamed', new RegExp(`alter table ${table} rename to`)],
  ['an index is renamed', new RegExp(`rename to ${table}_before_\\w+`)],
  ['the new table is made', new RegExp(`create table ${table} \\(like`)],
  ['what was there is attached', new RegExp(`alter table ${table} attach partition`)],
  ['the default partition is made', new RegExp(`create table ${table}_default`)],
  ['the next partitions are made', /select make_partitions/],
  ['rights are granted', /pg_has_role/],
  ['it is committed', 'commit'],
  ['the table is analysed', new RegExp(`analyze ${table}`)],
];

describe.each(TABLES)('dividing %s', (table) => {
  describe.each(['before', 'after'] as const)('killed %s', (when) => {
    it.each(statementsOf(table))('%s', async (_, text) => {
      await write(new Date(Date.UTC(2025, 0, 3)));
      await write(NOW);
      const before = await read();
      // The other table is divided first, so that what is caught is of this one.
      if (table === 'webhook_attempt')
        await killAt((proxy) => proxy.catchNext(/alter table webhook_attempt add constraint/, 'before'));
      await killAt((proxy) =>
        text === 'commit'
          ? proxy.catchCommitOf(new RegExp(`alter table ${table} attach partition`), when)
          : proxy.catchNext(text, when),
      );

      expect(await read()).toEqual(before);
      for (const one of TABLES) await makePartitions(db.em, one, NOW);
      await write(NOW);
      await write(NEXT_MONTH);
      // It is run again a month later.
      await partitionHistory(db, NEXT_MONTH);
      const divided = await database.sql<{ name: string }>(
        `select partrelid::regclass::text as name from pg_partitioned_table order by 1`,
      );
      expect(divided.map(({ name }) => name)).toEqual(TABLES);
      await write(NEXT_MONTH);
      const [calls, attempts] = (await read()) as [{ id: string }[], object[]];
      expect([calls.length, new Set(calls.map(({ id }) => id)).size, attempts.length]).toEqual([5, 5, 5]);
      const [kept, keptAttempts] = before as [object[], object[]];
      expect(calls.slice(0, 2)).toEqual(kept);
      expect(attempts).toEqual(expect.arrayContaining(keptAttempts));
      expect(
        await database.sql(`select conname from pg_constraint where conname like '%_before' and contype = 'c'`),
      ).toEqual([]);
    });
  });
});

/** Starts a conversion, and cuts it off where it is caught. */
async function killAt(caughtBy: (proxy: PostgresProxy) => Promise<() => void>): Promise<void> {
  const proxy = await startPostgresProxy(database.url);
  const killed = await connect(proxy.url);
  const caught = caughtBy(proxy);
  const outcome = partitionHistory(killed, NOW).catch((error: unknown) => error);
  const cut = await caught;
  // From here on nothing of it reaches the database, as nothing does of a program that was killed.
  const stopped = proxy.stop();
  cut();
  expect(await outcome).toBeInstanceOf(Error);
  await stopped;
  await killed.close();
}
