// Retention: rows are deleted after their time, unless something still needs them.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRetention } from '../../src/domain/retention.ts';
import { newId } from '../../src/values/id.ts';
import { until } from '../support/until.ts';
import { createSetup, type Setup } from './book.fixture.ts';

let setup: Setup;
const NOW = new Date('2026-06-30T12:00:00Z');
const daysAgo = (days: number) => new Date(NOW.getTime() - days * 86_400_000);

beforeAll(async () => {
  setup = await createSetup();
  setup.setNow(NOW);
});
afterAll(() => setup.stop());

async function retain(eventDays: number | null): Promise<void> {
  const worker = createRetention(setup.deps, { apiLogDays: 90, eventDays });
  while (await worker.processNext());
}

async function event(merchantId: string, position: number, createdAt: Date, due: Date | null): Promise<string> {
  const [id, delivery] = [newId('evt'), newId('dlv')];
  await setup.sql(
    `insert into event (id, merchant_id, type, body, created_at, position, sequence)
     values ($1, $2, 'webhook.test', '{}', $3, $4, $4)`,
    [id, merchantId, createdAt, position],
  );
  await setup.sql(
    `insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, due_at, created_at)
     values ($1, $2, $3, true, 'lane', 'http://a.test', 'SUCCESS', $4, $5)`,
    [delivery, id, merchantId, due, createdAt],
  );
  await setup.sql(
    `insert into webhook_attempt (delivery_id, attempt, at, url, response_time_ms) values ($1, 1, $2, 'http://a.test', 5)`,
    [delivery, createdAt],
  );
  return id;
}

describe('retention', () => {
  it('forgets idempotency keys after two days, and API-log rows after theirs', async () => {
    for (const [key, days] of [['old', 2.1] as const, ['kept', 1.9] as const])
      await setup.sql(`insert into idempotency values ('s', 'o', $1, '', '{}', $2)`, [key, daysAgo(days)]);
    for (const [id, days] of [['old', 91] as const, ['kept', 89] as const])
      await setup.sql(
        `insert into api_log (request_id, at, method, path, status, duration_ms, ip) values ($1, $2, 'GET', '/', 200, 1, '::1')`,
        [id, daysAgo(days)],
      );
    await retain(null);
    expect(await setup.sql('select key from idempotency')).toEqual([{ key: 'kept' }]);
    expect(await setup.sql('select request_id from api_log')).toEqual([{ request_id: 'kept' }]);
  });

  it('forgets the hours of endpoints after eight days, a day more than statistics reach back', async () => {
    for (const [id, days] of [['old', 8.1] as const, ['kept', 7.9] as const])
      await setup.sql(`insert into webhook_endpoint_hour values ($1, $2, 1, 0, '{1}')`, [id, daysAgo(days)]);
    await retain(null);
    expect(await setup.sql('select endpoint_id as id from webhook_endpoint_hour')).toEqual([{ id: 'kept' }]);
  });

  it('forgets after 90 days to whom a mail was, and the links and invitations that ended then', async () => {
    const merchantId = await setup.merchant();
    const [person] = await setup.sql<{ id: string }>('select id from person limit 1');
    for (const [id, days] of [['old', 91] as const, ['kept', 89] as const]) {
      const at = daysAgo(days);
      await setup.sql(
        `insert into mail (id, template, recipient, locale, params, link, created_at)
         values ($1, 'INVITATION', 'ann@shop.example', 'en', '{"company": "Shop"}', $1, $2)`,
        [id, at],
      );
      await setup.sql(
        `insert into mail_link (id, kind, person_id, created_at, expires_at) values ($1, 'RESET_PASSWORD', $2, $3, $3)`,
        [id, person?.id, at],
      );
      await setup.sql(
        `insert into invitation (id, merchant_id, email, role, created_at, expires_at)
         values ($1, $2, $1, 'VIEWER', $3, $3)`,
        [id, merchantId, at],
      );
    }
    await retain(null);
    expect(await setup.sql('select id, recipient, params from mail order by id')).toEqual([
      { id: 'kept', recipient: 'ann@shop.example', params: { company: 'Shop' } },
      { id: 'old', recipient: '', params: {} },
    ]);
    expect(await setup.sql('select id from mail_link union all select id from invitation')).toEqual([
      { id: 'kept' },
      { id: 'kept' },
    ]);
  });

  it('forgets browsers that were not seen for a year', async () => {
    await setup.merchant();
    for (const days of [366, 364])
      await setup.sql('insert into person_device select $1::text::bytea, id, $2, $2 from person limit 1', [
        String(days),
        daysAgo(days),
      ]);
    await retain(null);
    expect(await setup.sql(`select convert_from(digest, 'utf8') as days from person_device`)).toEqual([
      { days: '364' },
    ]);
  });

  it('forgets sessions a day after they were over, however long they might have lasted', async () => {
    const merchantId = await setup.merchant();
    const open = (id: string, expiresAt: Date, endedAt: Date | null) =>
      setup.sql(
        `insert into owner_session (id, merchant_id, created_at, expires_at, ended_at, ip)
         values ($1, $2, $3, $4, $5, '::1')`,
        [id, merchantId, daysAgo(40), expiresAt, endedAt],
      );
    await open('ended', daysAgo(-5), daysAgo(1.1));
    await open('expired', daysAgo(1.1), null);
    await open('just ended', daysAgo(-5), daysAgo(0.9));
    await open('open', daysAgo(-5), null);
    await retain(null);
    const left = await setup.sql('select id from owner_session order by id');
    expect(left).toEqual([{ id: 'just ended' }, { id: 'open' }]);
  });

  it('forgets what live updates have read after an hour, and keeps what a running transaction keeps them from reading', async () => {
    const hoursAgo = (hours: number) => daysAgo(hours / 24);
    const add = (query: (text: string, values: unknown[]) => Promise<unknown>, id: string, hours: number) =>
      query('insert into webhook_change (recorded_at, delivery_ids) values ($1, $2)', [hoursAgo(hours), [id]]);
    const sql = (text: string, values: unknown[]) => setup.sql(text, values);
    await add(sql, 'old', 1.1);
    await add(sql, 'young', 0.9);
    const client = await setup.deps.db.pool.connect();
    await client.query('begin');
    await client.query('select pg_current_xact_id()');
    await add(sql, 'held up', 2);
    const left = async () => {
      await retain(null);
      const rows = await setup.sql<{ id: string }>(
        'select delivery_ids[1] as id from webhook_change order by recorded_at',
      );
      return rows.map(({ id }) => id).join();
    };
    // Transactions of other test databases on the cluster also keep it from being read for a moment.
    await until(async () => (await left()) === 'held up,young').finally(async () => {
      await client.query('commit');
      client.release();
    });
    await until(async () => (await left()) === 'young');
  });

  it('takes more than a batch, and events only where it is configured, with what became of them', async () => {
    await setup.sql(
      `insert into idempotency select 's', 'many', n::text, '', '{}', $1 from generate_series(1, 2500) n`,
      [daysAgo(3)],
    );
    const merchantId = await setup.merchant();
    const old = await event(merchantId, 1, daysAgo(31), null);
    const waiting = await event(merchantId, 2, daysAgo(31), NOW);
    const young = await event(merchantId, 3, daysAgo(29), null);
    const unread = await event(merchantId, 9, daysAgo(31), null);
    // The mailer is gone, and its place stands still.
    await setup.sql(`insert into relay_cursor (name, position) values ('webhooks', 5), ('mail', 0)`);

    await retain(null);
    expect(await setup.sql(`select count(*)::int as n from idempotency where operation = 'many'`)).toEqual([{ n: 0 }]);
    expect(await setup.sql('select id from event order by position')).toHaveLength(4);

    await retain(30);
    const left = [waiting, young, unread].map((id) => ({ id }));
    expect(await setup.sql('select id from event order by position')).toEqual(left);
    expect(await setup.sql('select count(*)::int as n from webhook_attempt')).toEqual([{ n: 3 }]);
    expect(await setup.sql('select 1 from webhook_delivery where event_id = $1', [old])).toEqual([]);
  });
});
