// The monthly partitions of history: where they begin, how a table in use is divided, and who may make and drop them.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Client } from 'pg';
import { pino } from 'pino';
import { connectDatabase, type Database } from '../../src/database/connection.ts';
import { migrate } from '../../src/database/migrate.ts';
import { PARTITIONS_STEP, SCHEMA_STEPS } from '../../src/database/migrations/index.ts';
import { partitionHistory } from '../../src/database/partition.ts';
import { eraseFromEvents } from '../../src/database/queries/customers/erase-customer.ts';
import { dropPartition, makePartitions } from '../../src/database/queries/partitions.ts';
import { pruneRows } from '../../src/database/queries/prune.ts';
import { requireFitting } from '../../src/database/schema-version.ts';
import { LOCK_NOT_AVAILABLE } from '../../src/database/sql-state.ts';
import { useCell } from '../../src/values/cells/own-cell.ts';
import { firstIdOf, newId } from '../../src/values/id.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { createTestRoles } from '../support/database/roles.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';
import { until } from '../support/until.ts';

const ends: (() => unknown)[] = [];
let database: TestDatabase;
let db: Database;

beforeEach(async () => {
  database = await createTestDatabase();
  ends.push(() => database.drop());
  db = await connect();
});
afterEach(async () => {
  useCell(null);
  for (let end = ends.pop(); end; end = ends.pop()) await end();
});

async function connect(steps = SCHEMA_STEPS, url = database.url): Promise<Database> {
  const log = pino({ level: 'silent' });
  const one = await connectDatabase({ url, poolMax: 4, log, steps, patience: PATIENT_DATABASE });
  ends.push(() => one.close());
  return one;
}

async function client(name = 'psql'): Promise<Client> {
  const one = new Client({ connectionString: database.url, application_name: name });
  await one.connect();
  ends.push(() => one.end());
  return one;
}

/** The schema of a program that does not know partitions. */
const BEFORE = SCHEMA_STEPS.slice(
  0,
  SCHEMA_STEPS.findIndex(({ name }) => name === PARTITIONS_STEP),
);
/** PostgreSQL's code for a right that is missing. */
const DENIED = '42501';
const january = (day = 1, hour = 0) => new Date(Date.UTC(2025, 0, day, hour));
const monthOf = (month: number, day = 1) => new Date(Date.UTC(2025, month - 1, day));

/** Attempts of deliveries made at these times; returns the deliveries. */
async function attempts(times: readonly Date[]): Promise<string[]> {
  const ids = times.map((at) => newId('dlv', at.getTime()));
  await database.sql(
    `insert into webhook_attempt (delivery_id, attempt, at, url, response_time_ms, response_start)
     select d.id, 1, d.at, 'http://a.test', 5, 'Ann' from unnest($1::text[], $2::timestamptz[]) as d(id, at)`,
    [ids, times],
  );
  return ids;
}

const calls = (times: readonly Date[]) =>
  database.sql(
    `insert into api_log (request_id, at, method, path, status, duration_ms, ip)
     select 'r', at, 'GET', '/', 200, 1, '::1' from unnest($1::timestamptz[]) as t(at)`,
    [times],
  );

/** The table's partitions with the number of rows in each, empty ones left out. */
async function filled(table: string): Promise<Record<string, number>> {
  const rows = await database.sql<{ name: string; count: number }>(
    `select tableoid::regclass::text as name, count(*)::int as count from ${table} group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}

const partitions = async (table: string) =>
  (await database.sql<{ name: string }>('select name from partitions_of($1) order by upto', [table])).map(
    ({ name }) => name,
  );
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => String((error as { code?: unknown }).code),
  );

describe('the bound of a moment', () => {
  it.each(['without a cell', 'in a cell'])('has every id of before below it, and no later one: %s', async (form) => {
    const since = Date.UTC(2026, 5, 10);
    if (form === 'in a cell') {
      await database.sql('insert into deployment_cell (cell, since) values (7, $1)', [new Date(since)]);
      useCell({ cell: 7, since });
    }
    const times = fc.sample(fc.integer({ min: Date.UTC(2021, 0, 1), max: Date.UTC(2050, 0, 1) }), 500);
    const rows = await database.sql<{ ms: string; bound: string }>(
      `select ms::text, partition_bound('webhook_attempt', to_timestamp(ms / 1000.0)) as bound
       from unnest($1::bigint[]) as t(ms)`,
      [[...times, since - 1, since, since + 1]],
    );
    expect(rows).toHaveLength(503);
    for (const { ms, bound } of rows) {
      expect(firstIdOf('dlv', Number(ms))).toBe(bound.padEnd(36, '0'));
      expect(newId('dlv', Number(ms)) >= bound).toBe(true);
      // In a cell no id is made with a time of before.
      if (Number(ms) > since) expect(newId('dlv', Number(ms) - 1) < bound).toBe(true);
    }
  });

  it('has ids of before the database was a cell below it as well', async () => {
    const old = newId('dlv', Date.UTC(2026, 11, 31));
    await database.sql('insert into deployment_cell (cell, since) values (0, $1)', [monthOf(6)]);
    const [row] = await database.sql<{ bound: string }>(`select partition_bound('webhook_attempt', $1) as bound`, [
      monthOf(7),
    ]);
    expect(old < (row?.bound ?? '')).toBe(true);
  });
});

describe('dividing the tables', () => {
  it('keeps all rows as they are, and goes on with the numbers of calls', async () => {
    await attempts([january(3), january(20)]);
    await calls([january(3), january(20)]);
    const read = async () => [
      await database.sql('select * from api_log order by id'),
      await database.sql('select * from webhook_attempt order by delivery_id'),
    ];
    const [before, indexes] = [await read(), await indexesOf()];
    expect(await partitionHistory(db, january(20))).toEqual(['api_log', 'webhook_attempt']);
    expect(await read()).toEqual(before);
    expect(await indexesOf()).toEqual(indexes);
    await calls([monthOf(2, 3)]);
    await attempts([monthOf(2, 3)]);
    const [newest] = await database.sql<{ id: string }>('select max(id) as id from api_log');
    expect(Number(newest?.id)).toBeGreaterThan(2);
    expect(await filled('api_log')).toEqual({ api_log_before: 2, api_log_202502: 1 });
    expect(await filled('webhook_attempt')).toEqual({ webhook_attempt_before: 2, webhook_attempt_202502: 1 });
    expect(await partitionHistory(db, january(20))).toEqual([]);
    expect(await migrate(db)).toEqual([]);
  });

  /** What the indexes are of; the number of a call is unique in each partition. */
  async function indexesOf() {
    const rows = await database.sql<{ on: string }>(
      `select substring(indexdef from ' USING .*') as on from pg_indexes
       where tablename in ('api_log', 'webhook_attempt') and indexname <> 'api_log_pkey' order by 1`,
    );
    return rows.map(({ on }) => on);
  }

  it('leaves no month at its end to a partition that ends within a day', async () => {
    await partitionHistory(db, january(31, 12));
    await calls([monthOf(2, 3)]);
    expect(await filled('api_log')).toEqual({ api_log_before: 1 });
    expect(await partitions('api_log')).toEqual(['api_log_before', 'api_log_202503', 'api_log_202504']);
  });

  it('loses nothing that is written meanwhile, and waits for those who use the table', async () => {
    const now = new Date();
    const held = await client();
    await held.query('begin; select * from api_log; select * from webhook_attempt');
    let [written, isOver] = [0, false];
    const writer = (async () => {
      while (!isOver) {
        await calls([now]);
        await attempts([now]);
        written += 1;
      }
    })();
    const told: string[] = [];
    const dividing = partitionHistory(db, now, (text) => told.push(text));
    await until(async () => told.length > 0);
    expect(told).toEqual(['Waiting for the table api_log']);
    await held.query('commit');
    await dividing;
    const then = written;
    await until(async () => written > then);
    isOver = true;
    await writer;
    expect(await database.sql('select count(*)::int, count(distinct id)::int as ids from api_log')).toEqual([
      { count: written, ids: written },
    ]);
    expect(await database.sql('select count(*)::int from webhook_attempt')).toEqual([{ count: written }]);
  });

  it('is refused beside a program that does not know partitions, and keeps such from starting', async () => {
    const older = await client(`turnpike 0.2.0, schema ${BEFORE.length}`);
    await expect(partitionHistory(db, january())).rejects.toThrow(/stop turnpike 0\.2\.0, schema/);
    expect(await makePartitions(db.em, 'api_log', january())).toBeNull();
    const before = await connect(BEFORE);
    await requireFitting(before);
    await before.close();
    await older.end();
    await partitionHistory(db, january());
    await expect(requireFitting(await connect(BEFORE))).rejects.toThrow('start a newer one');
    await requireFitting(db);
  });

  it('that was killed leaves a check behind, which is removed before the rows of the next month fail it', async () => {
    await database.sql(`alter table api_log add constraint api_log_before check (at < '2025-02-01') not valid`);
    expect(await codeOf(calls([monthOf(2)]))).toBe('23514');
    expect(await makePartitions(db.em, 'api_log', january())).toBeNull();
    expect(await codeOf(calls([monthOf(2)]))).toBe('done');
  });
});

describe('the next partitions', () => {
  it('are made three months ahead, once, by however many processes', async () => {
    await partitionHistory(db, january());
    const later = async () => makePartitions((await connect()).em, 'webhook_attempt', monthOf(5));
    const made = await Promise.all([later(), later(), later()]);
    expect(made.reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(4);
    expect(await partitions('webhook_attempt')).toEqual(
      ['before', '202502', '202503', '202504', '202505', '202506', '202507', '202508'].map(
        (month) => `webhook_attempt_${month}`,
      ),
    );
    expect(await makePartitions(db.em, 'webhook_attempt', monthOf(5))).toBe(0);
  });

  it('take over the rows that had to go elsewhere because they were late', async () => {
    await partitionHistory(db, january());
    await attempts([monthOf(4, 30), monthOf(5, 1), monthOf(7, 1)]);
    await calls([monthOf(5, 31)]);
    expect(await filled('webhook_attempt')).toEqual({ webhook_attempt_202504: 1, webhook_attempt_default: 2 });
    for (const table of ['api_log', 'webhook_attempt'] as const) await makePartitions(db.em, table, monthOf(5));
    expect(await filled('webhook_attempt')).toEqual({
      ...{ webhook_attempt_202504: 1, webhook_attempt_202505: 1, webhook_attempt_202507: 1 },
    });
    expect(await filled('api_log')).toEqual({ api_log_202505: 1 });
  });

  it('of a database that became a cell hold the ids of both forms', async () => {
    await partitionHistory(db, january());
    await attempts([monthOf(2, 10)]);
    await database.sql('insert into deployment_cell (cell, since) values (7, $1)', [monthOf(2, 11)]);
    useCell({ cell: 7, since: monthOf(2, 11).getTime() });
    await attempts([monthOf(2, 12), monthOf(3, 5)]);
    expect(await filled('webhook_attempt')).toEqual({ webhook_attempt_202502: 1, webhook_attempt_default: 2 });
    await makePartitions(db.em, 'webhook_attempt', monthOf(2, 12));
    expect(await filled('webhook_attempt')).toEqual({
      ...{ webhook_attempt_202502: 1, webhook_attempt_202502b: 1, webhook_attempt_202503b: 1 },
    });
    // Those that were made for ids without a cell go with the month in which it became one.
    await drop('webhook_attempt', monthOf(3));
    expect(await partitions('webhook_attempt')).toEqual(
      ['202503b', '202504b', '202505'].map((month) => `webhook_attempt_${month}`),
    );
  });
});

async function drop(table: 'api_log' | 'webhook_attempt', before: Date): Promise<void> {
  while (await dropPartition(db.em, table, before));
}

describe('the oldest partition', () => {
  it('is dropped once all that it can hold is too old', async () => {
    await partitionHistory(db, january());
    await calls([january(31), monthOf(2, 1), monthOf(2, 28), monthOf(3, 1)]);
    await drop('api_log', new Date(monthOf(3).getTime() - 1));
    expect(await filled('api_log')).toEqual({ api_log_202502: 2, api_log_202503: 1 });
    await drop('api_log', monthOf(3));
    expect(await filled('api_log')).toEqual({ api_log_202503: 1 });
  });

  it('stays while a delivery of it waits', async () => {
    await partitionHistory(db, january());
    const [id] = await attempts([january(5)]);
    await database.sql(`set session_replication_role = replica;
      insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, due_at, created_at)
      values ('${id ?? ''}', 'evt', 'mer', true, 'lane', 'http://a.test', 'RETRYING', now(), now())`);
    await drop('webhook_attempt', monthOf(3));
    expect(await filled('webhook_attempt')).toEqual({ webhook_attempt_before: 1 });
    await database.sql('update webhook_delivery set due_at = null');
    await drop('webhook_attempt', monthOf(3));
    expect(await filled('webhook_attempt')).toEqual({});
    expect(await partitions('webhook_attempt')).toEqual(['webhook_attempt_202503', 'webhook_attempt_202504']);
  });

  it('is left for later where somebody reads the table; a snapshot of before goes on without it', async () => {
    await partitionHistory(db, january());
    await calls([january(5), monthOf(3)]);
    const reader = await client();
    await reader.query('begin isolation level repeatable read; select * from api_log');
    const refused = await dropPartition(db.em, 'api_log', monthOf(2)).catch((error: unknown) => error);
    expect(JSON.stringify(refused)).toContain(LOCK_NOT_AVAILABLE);
    expect((await reader.query('select 1 from api_log')).rows).toHaveLength(2);
    await reader.query('commit; begin isolation level repeatable read; select 1');
    await drop('api_log', monthOf(2));
    expect((await reader.query('select 1 from api_log')).rows).toHaveLength(1);
    await reader.query('commit');
  });

  it('is not dropped before its time by any process', async () => {
    await partitionHistory(db, january());
    const tomorrow = new Date(Date.now() + 2 * 86_400_000);
    await expect(dropPartition(db.em, 'api_log', tomorrow)).rejects.toThrow('in the future');
    await expect(makePartitions(db.em, 'payment' as 'api_log', january())).rejects.toThrow('no history');
  });
});

describe('rows of two partitions that lie at the same place', () => {
  it('are told apart by an erasure, and by what deletes single rows', async () => {
    await partitionHistory(db, january());
    const [old, young] = await attempts([january(5), monthOf(3, 5)]);
    await calls([january(5), monthOf(3, 5)]);
    expect(await database.sql('select distinct ctid::text from webhook_attempt')).toEqual([{ ctid: '(0,1)' }]);
    await database.sql(`set session_replication_role = replica;
      insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, created_at)
      values ('${old ?? ''}', 'evt', 'mer', true, 'lane', 'http://a.test', 'SUCCESS', now())`);
    await db.em.fork().transactional((em) => eraseFromEvents(em, ['evt']));
    expect(
      await database.sql('select delivery_id as id from webhook_attempt where response_start is not null'),
    ).toEqual([{ id: young }]);
    await pruneRows(db.em, 'apiLog', monthOf(3));
    expect(await filled('api_log')).toEqual({ api_log_202503: 1 });
  });
});

describe('of the roles', () => {
  it('the observer alone makes and drops partitions, by the functions and in no other way', async () => {
    const roles = await createTestRoles(await createTestDatabase());
    ends.push(() => roles.drop());
    await partitionHistory(await connect(SCHEMA_STEPS, roles.urlOf('owner')), january());
    const make = `select make_partitions('api_log', '2025-05-01') as made`;
    const dropped = `select drop_partition('api_log', '2025-03-01') as more`;
    for (const role of ['api', 'dispatcher', 'mailer', 'signer', 'operator', 'monitor'] as const)
      for (const statement of [make, dropped])
        expect([role, await codeOf(roles.as(role, statement))]).toEqual([role, DENIED]);
    expect(await roles.as('observer', make)).toEqual([{ made: 4 }]);
    expect(await roles.as('observer', dropped)).toEqual([{ more: true }]);
    expect(await codeOf(roles.as('observer', 'drop table api_log_202505'))).toBe(DENIED);
    expect(await codeOf(roles.as('api', 'select 1 from api_log_202505'))).toBe(DENIED);
    await roles.as(
      'api',
      `insert into api_log (request_id, at, method, path, status, duration_ms, ip) values ('r', now(), 'GET', '/', 200, 1, '')`,
    );
    expect(await roles.as('api', 'select request_id from api_log')).toEqual([{ request_id: 'r' }]);
  });
});
