// Live updates of deliveries: every change once, in order, whatever transactions made it and however slow they were.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { PoolClient } from 'pg';
import type { Delivery } from '../../../src/database/queries/webhooks/read-deliveries.ts';
import { createDeliveryUpdates, type DeliveryUpdates } from '../../../src/dispatch/subscriptions/deliveries.ts';
import type { DeliveryStatus } from '../../../src/entities/enums.ts';
import { createLoop, type Loop } from '../../../src/loop.ts';
import { newId } from '../../../src/values/id.ts';
import { until } from '../../support/until.ts';
import { log, openLiveFixture, type LiveFixture } from './setup.fixture.ts';

let fixture: LiveFixture;
let live: DeliveryUpdates;
let loop: Loop;

beforeAll(async () => {
  fixture = await openLiveFixture();
  live = createDeliveryUpdates(fixture.db.pool, 1_000);
  loop = createLoop(live.worker, { idleMs: 2, log });
});
afterAll(async () => {
  await loop.stop();
  expect(live.listeners()).toBe(0);
  await fixture.stop();
});

/** A transaction that already has its id, on a connection of its own. */
async function begin() {
  const client = await fixture.db.pool.connect();
  await client.query('begin');
  await client.query('select pg_current_xact_id()');
  const end = async (how: 'commit' | 'rollback') => {
    await client.query(how);
    client.release();
  };
  return { client, commit: () => end('commit'), rollback: () => end('rollback') };
}
async function inOwn(work: (client: PoolClient) => Promise<void>): Promise<void> {
  const { client, commit } = await begin();
  await work(client);
  await commit();
}

async function newEvent(): Promise<{ merchantId: string; eventId: string }> {
  const merchantId = await fixture.newMerchant();
  const eventId = newId('evt');
  await fixture.sql(`insert into event (id, merchant_id, type, created_at) values ($1, $2, 'webhook.test', now())`, [
    eventId,
    merchantId,
  ]);
  return { merchantId, eventId };
}
async function make(client: PoolClient, { merchantId, eventId }: { merchantId: string; eventId: string }) {
  const id = newId('dlv');
  await client.query(
    `insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, due_at, created_at)
     values ($1, $2, $3, false, 'lane', $1, 'PENDING', now(), now())`,
    [id, eventId, merchantId],
  );
  await tell(client, id);
  return id;
}
const tell = (client: PoolClient, id: string) =>
  client.query('insert into webhook_change (delivery_ids) values ($1)', [[id]]);
/** Records an attempt as the sender does: a delivery that was disabled meanwhile stays so, unless it did arrive. */
async function attempt(client: PoolClient, id: string, number: number, status: DeliveryStatus) {
  const { rows } = await client.query<{ status: DeliveryStatus }>(
    `update webhook_delivery d set attempts = $2,
       status = case when d.status = 'DISABLED' and $3 <> 'SUCCESS' then 'DISABLED' else $3 end,
       due_at = case when d.status <> 'DISABLED' and $3 = 'RETRYING' then now() end
     where id = $1 returning status`,
    [id, number, status],
  );
  await client.query(
    `insert into webhook_attempt (delivery_id, attempt, at, url, response_time_ms, status) values ($1, $2, now(), '', 1, $3)`,
    [id, number, rows[0]?.status],
  );
  await tell(client, id);
}
async function switchOff(client: PoolClient, id: string) {
  await client.query(
    `update webhook_delivery set status = 'DISABLED', due_at = null, changed_in = pg_current_xact_id()
     where id = $1 and due_at is not null`,
    [id],
  );
  await tell(client, id);
}

/** Collects everything that a merchant's stream sends. */
async function listen(merchantId: string) {
  const stream = await live.follow(merchantId);
  const seen: Delivery[] = [];
  const reading = (async () => {
    for await (const delivery of stream) seen.push(delivery);
  })();
  const changesOf = (id?: string) =>
    seen.filter(({ deliveryId }) => id === undefined || deliveryId === id).map((of) => `${of.status} ${of.attempts}`);
  const stop = async () => {
    await stream.return?.();
    await reading;
  };
  return { changesOf, stop };
}

describe('live updates of deliveries', () => {
  it('made, tried and arrived are told, each once', async () => {
    const event = await newEvent();
    const stream = await listen(event.merchantId);
    let id = '';
    await inOwn(async (client) => void (id = await make(client, event)));
    await inOwn((client) => attempt(client, id, 1, 'RETRYING'));
    await inOwn((client) => attempt(client, id, 2, 'SUCCESS'));
    await until(() => stream.changesOf(id).length === 3);
    expect(stream.changesOf(id)).toEqual(['PENDING 0', 'RETRYING 1', 'SUCCESS 2']);
    await stream.stop();
  });

  it('what a slow transaction made is told when it commits, and what committed before it is told no second time', async () => {
    const event = await newEvent();
    const stream = await listen(event.merchantId);
    const slow = await begin();
    const first = await make(slow.client, event);
    let second = '';
    await inOwn(async (client) => void (second = await make(client, event)));
    await inOwn((client) => attempt(client, second, 1, 'SUCCESS'));
    const abandoned = await begin();
    const never = await make(abandoned.client, event);
    await abandoned.rollback();
    await slow.commit();
    await inOwn((client) => attempt(client, first, 1, 'FAILED'));
    await until(() => stream.changesOf().length === 4);
    expect(stream.changesOf(first)).toEqual(['PENDING 0', 'FAILED 1']);
    expect(stream.changesOf(second)).toEqual(['PENDING 0', 'SUCCESS 1']);
    expect(stream.changesOf(never)).toEqual([]);
    await stream.stop();
  });

  it('a delivery that is made and switched off between two looks is told twice, by an older transaction too', async () => {
    const event = await newEvent();
    const stream = await listen(event.merchantId);
    const older = await begin();
    let id = '';
    await inOwn(async (client) => void (id = await make(client, event)));
    await inOwn((client) => attempt(client, id, 1, 'RETRYING'));
    await switchOff(older.client, id);
    const between = await begin();
    await older.commit();
    await inOwn((client) => attempt(client, id, 2, 'RETRYING'));
    await between.commit();
    await until(() => stream.changesOf().length === 4);
    expect(stream.changesOf(id)).toEqual(['PENDING 0', 'RETRYING 1', 'DISABLED 1', 'DISABLED 2']);
    await stream.stop();
  });

  it('in a crowd of transactions of every length, each delivery has its whole story, in order, and once', async () => {
    const event = await newEvent();
    const [stream, other] = [await listen(event.merchantId), await listen((await newEvent()).merchantId)];
    const stories = new Map<string, string[]>();
    // A transaction that lasts for some round trips, so that others begin and end within it.
    const lasting = async (trips: number, work: (client: PoolClient) => Promise<unknown>) => {
      const { client, commit } = await begin();
      for (let i = 0; i < trips; i += 1) await client.query('select 1');
      await work(client);
      for (let i = 0; i < trips; i += 1) await client.query('select 1');
      await commit();
    };
    const tell = async (seed: number) => {
      for (let i = 0; i < 12; i += 1) {
        const trips = (seed * 7 + i * 5) % 11;
        let id = '';
        await lasting(trips, async (client) => void (id = await make(client, event)));
        const retries = (seed + i) % 3;
        const story = ['PENDING 0'];
        for (let n = 1; n <= retries; n += 1) {
          await lasting(trips % n, (client) => attempt(client, id, n, 'RETRYING'));
          story.push(`RETRYING ${n}`);
        }
        if (i % 2 === 0) await lasting(trips, (client) => attempt(client, id, retries + 1, 'SUCCESS'));
        else await lasting(trips, (client) => switchOff(client, id));
        stories.set(id, [...story, i % 2 === 0 ? `SUCCESS ${retries + 1}` : `DISABLED ${retries}`]);
      }
    };
    await Promise.all([1, 2, 3, 4, 5, 6].map(tell));
    await until(() => stream.changesOf().length === [...stories.values()].flat().length);
    for (const [id, story] of stories) expect(stream.changesOf(id)).toEqual(story);
    expect(other.changesOf()).toEqual([]);
    await Promise.all([stream.stop(), other.stop()]);
  });

  it('while nobody listens the database is not asked', async () => {
    const silent = createDeliveryUpdates({ query: () => Promise.reject(new Error('asked')) } as never, 10);
    expect(await silent.worker.processNext()).toBe(false);
    await expect(silent.follow('mer_1')).rejects.toThrow('asked');
    expect(silent.listeners()).toBe(0);
  });
});
