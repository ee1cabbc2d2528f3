// Retention where history has partitions: whole months go at once, and nothing that is needed goes with them.

import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { partitionHistory } from '../../src/database/partition.ts';
import { createRetention } from '../../src/domain/retention.ts';
import { newId } from '../../src/values/id.ts';
import { createSetup, type Setup } from './book.fixture.ts';

let setup: Setup;
let merchantId: string;
const on = (month: number, day: number) => new Date(Date.UTC(2025, month - 1, day, 12));

beforeEach(async () => {
  setup = await createSetup();
  merchantId = await setup.merchant();
  await setup.sql(`insert into relay_cursor (name, position) values ('webhooks', 100)`);
  await partitionHistory(setup.deps.db, on(1, 5));
});
afterEach(() => setup.stop());

async function retain(at: Date): Promise<void> {
  setup.setNow(at);
  const worker = createRetention(setup.deps, { apiLogDays: 30, eventDays: 30 });
  while (await worker.processNext());
}

/** An event with a delivery and an attempt; null: nothing is due. */
async function event(position: number, at: Date, due: Date | null = null, sentAt = at): Promise<void> {
  const [id, delivery] = [newId('evt', at.getTime()), newId('dlv', sentAt.getTime())];
  await setup.sql(
    `insert into event (id, merchant_id, type, body, created_at, position, sequence)
     values ($1, $2, 'webhook.test', '{}', $3, $4, $4)`,
    [id, merchantId, at, position],
  );
  await setup.sql(
    `insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, due_at, created_at)
     values ($1, $2, $3, true, 'lane', 'http://a.test', 'SUCCESS', $4, $5)`,
    [delivery, id, merchantId, due, sentAt],
  );
  await setup.sql(
    `insert into webhook_attempt (delivery_id, attempt, at, url, response_time_ms) values ($1, 1, $2, 'http://a.test', 5)`,
    [delivery, sentAt],
  );
}

/** The positions of the events that are left, how many attempts, and those whose delivery is gone. */
async function left(): Promise<{ events: number[]; attempts: number; orphans: number }> {
  const events = await setup.sql<{ position: string }>('select position from event order by position');
  const [row] = await setup.sql<{ attempts: number; orphans: number }>(
    `select count(*)::int as attempts, count(*) filter (where d.id is null)::int as orphans
     from webhook_attempt a left join webhook_delivery d on d.id = a.delivery_id`,
  );
  return { events: events.map(({ position }) => Number(position)), attempts: 0, orphans: 0, ...row };
}

const partitions = async (table: string) =>
  (await setup.sql<{ name: string }>('select name from partitions_of($1) order by upto', [table])).map(({ name }) =>
    name.slice(table.length + 1),
  );

it('keeps a month until all of it is too old, and then drops it with its attempts', async () => {
  await event(1, on(1, 6));
  await event(2, on(1, 31));
  await event(3, on(2, 1));
  await retain(on(2, 28));
  expect(await left()).toEqual({ events: [1, 2, 3], attempts: 3, orphans: 0 });
  await retain(on(3, 4));
  expect(await left()).toEqual({ events: [3], attempts: 1, orphans: 0 });
  expect(await partitions('webhook_attempt')).toEqual(['202502', '202503', '202504', '202505', '202506']);
});

it('drops nothing of a delivery that waits, and deletes the rest of its month row by row', async () => {
  await event(1, on(1, 6), on(3, 10));
  await event(2, on(1, 7));
  await retain(on(3, 4));
  expect(await left()).toEqual({ events: [1], attempts: 1, orphans: 0 });
  expect(await partitions('webhook_attempt')).toContain('before');
  await setup.sql('update webhook_delivery set due_at = null');
  await retain(on(3, 12));
  expect(await left()).toEqual({ events: [], attempts: 0, orphans: 0 });
  expect(await partitions('webhook_attempt')).not.toContain('before');
});

it('deletes attempts of a later month with their event: none is left that an erasure could not find', async () => {
  await event(1, on(1, 31), null, on(2, 2));
  await event(2, on(2, 2));
  await retain(on(3, 4));
  expect(await left()).toEqual({ events: [2], attempts: 1, orphans: 0 });
});

it('keeps events that were not relayed yet, whatever their age', async () => {
  await event(101, on(1, 6));
  await retain(on(3, 4));
  expect((await left()).events).toEqual([101]);
});

it('drops whole months of calls, each once all of it is older than its days', async () => {
  for (const at of [on(1, 31), on(2, 1), on(2, 28)])
    await setup.sql(
      `insert into api_log (request_id, at, method, path, status, duration_ms, ip) values ('r', $1, 'GET', '/', 200, 1, '')`,
      [at],
    );
  const count = async () => (await setup.sql('select 1 from api_log')).length;
  await retain(on(3, 1));
  expect(await count()).toBe(3);
  await retain(on(3, 4));
  expect(await count()).toBe(2);
  await retain(on(4, 1));
  expect(await count()).toBe(0);
});

it('goes on with everything else while somebody reads the tables for long', async () => {
  await event(1, on(1, 6));
  await setup.sql(`insert into idempotency values ('s', 'o', 'old', '', '{}', $1)`, [on(1, 6)]);
  const reader = await setup.deps.db.pool.connect();
  await reader.query('begin; select * from api_log; select * from webhook_attempt');
  await retain(on(3, 4)).finally(async () => {
    await reader.query('rollback');
    reader.release();
  });
  expect(await setup.sql('select 1 from idempotency')).toEqual([]);
  expect(await left()).toEqual({ events: [1], attempts: 1, orphans: 0 });
  await retain(on(3, 4));
  expect(await left()).toEqual({ events: [], attempts: 0, orphans: 0 });
});

it('fails, and is told of by that, once the coming month has no partition because the table is always in use', async () => {
  const reader = await setup.deps.db.pool.connect();
  await reader.query('begin; select * from api_log');
  try {
    await retain(on(2, 20));
    await setup.sql(`insert into idempotency values ('s', 'o', 'old', '', '{}', $1)`, [on(1, 6)]);
    await expect(retain(on(4, 10))).rejects.toThrow('api_log is always in use');
    expect(await setup.sql('select 1 from idempotency')).toEqual([]);
  } finally {
    await reader.query('rollback');
    reader.release();
  }
  await retain(on(4, 10));
  expect(await partitions('api_log')).toContain('202507');
});
