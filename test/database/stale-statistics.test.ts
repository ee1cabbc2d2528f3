// Statistics that are out of date: the numbering of events, which everything that is sent waits for, reads about as
// many rows for each event, whatever PostgreSQL believes about the table.

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase } from '../../src/database/connection.ts';
import { createEventNumbering } from '../../src/dispatch/outbox/number-events.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { until } from '../support/until.ts';
import { PATIENT_DATABASE } from '../support/patience.ts';

/** Events that were numbered before, and events that wait: what an outage of an hour leaves behind, in small. */
const HISTORY = 20_000;
const WAITING = 8_000;
const VERSIONS = 4;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
  await database.sql('alter table event set (autovacuum_enabled = false)');
  await database.sql(
    `insert into merchant (id, email, company_name, webhook_secret, created_at) values ('mer_a', 'a', 'Shop', '', now())`,
  );
});
afterEach(() => database.drop());

/** Adds events, each payment's with the same number of versions; numbered as if they had been sent. */
const addEvents = (count: number, kind: 'numbered' | 'waiting') =>
  database.sql(
    `insert into event (id, merchant_id, payment_id, version, type, payload, created_at, position, sequence)
     select 'evt_' || $2 || lpad(n::text, 9, '0'), 'mer_a', 'ord_' || $2 || (n / $3::int), n % $3::int + 1,
       'payment.updated', '{}', now(), case $2 when 'numbered' then n end, case $2 when 'numbered' then n end
     from generate_series(1, $1::int) n`,
    [count, kind, VERSIONS],
  );
const countAsLast = () =>
  database.sql(`insert into event_counter (scope, last) select unnest(array['position', 'mer_a']), ${HISTORY}`);

/**
 * The rows that were read from a table, by itself or by its indexes, and that were there to be seen, by connections
 * that have ended. Entries of rows that were changed do not count: they stay in an index for as long as any transaction
 * of the cluster is open, another test's as well.
 */
async function readRows(table: string): Promise<number> {
  const [row] = await database.sql<{ rows: string }>(
    'select seq_tup_read + idx_tup_fetch as rows from pg_stat_user_tables where relname = $1',
    [table],
  );
  return Number(row?.rows);
}

/** Numbers all events, and returns how many rows of the log were read for it. */
async function numberAll(): Promise<number> {
  const before = await readRows('event');
  const db = await connectDatabase({
    url: database.url,
    poolMax: 2,
    log: pino({ level: 'silent' }),
    patience: PATIENT_DATABASE,
  });
  const numbering = createEventNumbering({ db });
  try {
    while (await numbering.processNext());
  } finally {
    await db.close();
  }
  const left = () => database.sql<{ left: string }>('select count(*) as left from event where position is null');
  const beforeCount = await left();
  expect(Number(beforeCount[0]?.left)).toBe(0);
  // A connection reports what it read when it ends.
  let rows = 0;
  await until(async () => {
    const now = (await readRows('event')) - before;
    const isSettled = now > 0 && now === rows;
    rows = now;
    return isSettled;
  });
  return rows;
}

describe('events that waited for an hour are numbered by reading each a few times', () => {
  /** What was true when the statistics were made. */
  const states: readonly (readonly [what: string, make: () => Promise<unknown>])[] = [
    ['of an empty log', () => database.sql('analyze event')],
    [
      'of before the outage, when nothing waited',
      async () => {
        await addEvents(HISTORY, 'numbered');
        await countAsLast();
        await database.sql('analyze event');
      },
    ],
    [
      'of another outage, when all events waited',
      async () => {
        await addEvents(HISTORY, 'numbered');
        await countAsLast();
        await database.sql('update event set position = null, sequence = null');
        await database.sql('analyze event');
        await database.sql(`update event set position = right(id, 9)::int, sequence = right(id, 9)::int`);
      },
    ],
    ['that do not exist', () => Promise.resolve()],
  ];

  it.each(states)('with statistics %s', async (_what, make) => {
    await make();
    await addEvents(WAITING, 'waiting');
    expect((await numberAll()) / WAITING).toBeLessThan(8);
  });
});
