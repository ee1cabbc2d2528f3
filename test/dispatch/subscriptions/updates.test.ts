// Live updates of payments: the current state first, then every change once and in order, with confirmations as blocks
// arrive; readers that fall behind are ended.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBackpressure, type BackpressureClock } from '../../../src/dispatch/subscriptions/backpressure.ts';
import { createUpdates, type UpdatesService } from '../../../src/dispatch/subscriptions/updates.ts';
import { createEventNumbering } from '../../../src/dispatch/outbox/number-events.ts';
import type { PaymentSnapshot } from '../../../src/domain/snapshots/payment.ts';
import { createLoop, type Loop, type Worker } from '../../../src/loop.ts';
import { newId } from '../../../src/values/id.ts';
import { until } from '../../support/until.ts';
import { log, openLiveFixture, type LiveFixture } from './setup.fixture.ts';

type Stream = AsyncIterableIterator<PaymentSnapshot>;

/** Advances with the turns of the event loop; a reader can take one update a turn, and ten turns are a millisecond. */
function createTurnClock(): BackpressureClock {
  let turns = 0;
  return {
    now: () => turns / 10,
    async rest(ms) {
      for (const end = turns + ms * 10; turns < end; turns += 1) await nextTurn();
    },
  };
}

describe('live updates', () => {
  let fixture: LiveFixture;
  let live: UpdatesService;
  const loops: Loop[] = [];
  const run = (worker: Worker) => void loops.push(createLoop(worker, { idleMs: 5, log }));

  beforeAll(async () => {
    fixture = await openLiveFixture();
    live = createUpdates(fixture);
    [createEventNumbering(fixture), live.worker].forEach(run);
  });
  afterAll(async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
    await fixture.stop();
  });
  // Subscribers that left are not kept.
  afterEach(() => expect(live.listeners()).toBe(0));

  const follow = async (id: string, merchantId: string | null = null, from = live): Promise<Stream> => {
    const stream = await from.followPayment(id, merchantId);
    if (!stream) throw new Error('There is nothing to follow');
    return stream;
  };
  const take = async (stream: Stream): Promise<PaymentSnapshot> => {
    const { value, done } = await stream.next();
    if (done) throw new Error('The stream has ended');
    return value;
  };
  /** The test's mark on a version. */
  const mark = (count: number) => ({ merchantOrderId: String(count) });

  it('a follower gets the present state first, then each change', async () => {
    const merchant = await fixture.newMerchant();
    const id = await fixture.newPayment(merchant);
    await fixture.change(id, mark(1));
    const stream = await follow(id, merchant);
    expect(await take(stream)).toMatchObject({ id, merchantOrderId: '1', status: 'PENDING', amount: '100' });
    await fixture.change(id, { ...mark(2), status: 'CANCELED' });
    expect(await take(stream)).toMatchObject({ id, merchantOrderId: '2', status: 'CANCELED', amount: '100' });
    await stream.return?.();
  });

  it('while 500 changes flow, followers who join at any moment lose none and see none twice, in one order', async () => {
    const id = await fixture.newPayment(await fixture.newMerchant());
    await fixture.change(id, mark(0));
    const neighbour = await fixture.newPayment(await fixture.newMerchant());
    const collect = async (): Promise<number[]> => {
      const stream = await follow(id);
      const items: PaymentSnapshot[] = [];
      do items.push(await take(stream));
      while (items.at(-1)?.merchantOrderId !== '500');
      await stream.return?.();
      return items.map((item) => Number(item.merchantOrderId));
    };
    const collected: Promise<number[]>[] = [collect(), collect()];
    for (let i = 1; i <= 500; i += 1) {
      await fixture.change(id, mark(i));
      if (i % 10 === 0) await fixture.change(neighbour, mark(i));
      if (i % 50 === 25) collected.push(collect());
    }
    const whole = Array.from({ length: 501 }, (_, i) => i);
    for (const seen of await Promise.all(collected)) expect(seen).toEqual(whole.slice(seen[0]));
  });

  it("a merchant's stream has the changes of all their payments, in order, and of nobody else's", async () => {
    const [merchant, other] = [await fixture.newMerchant(), await fixture.newMerchant()];
    const [first, second] = [await fixture.newPayment(merchant), await fixture.newPayment(merchant)];
    const foreign = await fixture.newPayment(other);
    const stream = live.followMerchant(merchant);
    // The first state of another subscription shows that the tail has its position in the log.
    const anchor = await follow(first);
    await take(anchor);
    await fixture.change(first, mark(1));
    await fixture.change(foreign, mark(2));
    await fixture.change(second, mark(3));
    const items = [await take(stream)];
    while (items.at(-1)?.merchantOrderId !== '3') items.push(await take(stream));
    // Changes numbered after the subscription began may come before: here the two creations.
    const changes = items.filter((item) => item.merchantOrderId !== null);
    expect(changes.map((item) => [item.id, item.merchantOrderId])).toEqual([
      [first, '1'],
      [second, '3'],
    ]);
    expect(items.every((item) => item.id !== foreign)).toBe(true);
    await Promise.all([stream.return?.(), anchor.return?.()]);
  });

  it("there is nothing to follow under another merchant's id, one that never was, or none at all", async () => {
    const id = await fixture.newPayment(await fixture.newMerchant());
    expect(await live.followPayment(id, await fixture.newMerchant())).toBeNull();
    expect(await live.followPayment(newId('ord'), null)).toBeNull();
    expect(await live.followPayment("ord_' or 1=1", null)).toBeNull();
  });

  it('as blocks arrive the state comes again with new confirmations, until none are awaited', async () => {
    const id = await fixture.newPayment(await fixture.newMerchant());
    await fixture.moveChain(100);
    await fixture.newDeposit(id, 100);
    await fixture.change(id, { status: 'CONFIRMING' });
    const stream = await follow(id);
    expect(await take(stream)).toMatchObject({ status: 'CONFIRMING', confirmations: 1 });
    await fixture.moveChain(101);
    expect(await take(stream)).toMatchObject({ confirmations: 2, transactions: [{ confirmations: 2 }] });
    await fixture.moveChain(99);
    expect(await take(stream)).toMatchObject({ confirmations: 0 });
    await fixture.moveChain(102);
    expect(await take(stream)).toMatchObject({ confirmations: 3 });
    await fixture.sql(`update deposit set status = 'CONFIRMED' where payment_id = $1`, [id]);
    await fixture.change(id, { status: 'SUCCEEDED' });
    expect(await take(stream)).toMatchObject({ status: 'SUCCEEDED', confirmations: 3 });
    await fixture.moveChain(110);
    await fixture.change(id, mark(7));
    expect(await take(stream)).toMatchObject({ merchantOrderId: '7' });
    await stream.return?.();
  });

  it('blocks among changes put no version out of order and repeat none', async () => {
    const id = await fixture.newPayment(await fixture.newMerchant());
    await fixture.moveChain(200);
    await fixture.newDeposit(id, 200);
    await fixture.change(id, { ...mark(0), status: 'CONFIRMING' });
    const stream = await follow(id);
    for (let i = 1; i <= 60; i += 1) {
      if (i % 2 === 0) await fixture.moveChain(200 + i);
      await fixture.change(id, mark(i));
    }
    const items = [await take(stream)];
    while (items.at(-1)?.merchantOrderId !== '60') items.push(await take(stream));
    const seen = items.map((item) => Number(item.merchantOrderId));
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect([...new Set(seen)]).toEqual(Array.from({ length: 61 }, (_, i) => i));
    const states = items.map((item) => `${item.merchantOrderId} ${item.confirmations}`);
    expect(new Set(states).size).toBe(states.length);
    await stream.return?.();
  });

  it('a follower who does not read is told so and ended, and the others go on', async () => {
    const id = await fixture.newPayment(await fixture.newMerchant());
    const narrow = createUpdates(fixture, { mostWaiting: 10 });
    run(narrow.worker);
    const [slow, quick] = [await follow(id, null, narrow), await follow(id, null, narrow)];
    await take(quick);
    for (let i = 1; i <= 30; i += 1) {
      await fixture.change(id, mark(i));
      await take(quick);
    }
    expect(narrow.listeners()).toBe(1);
    await expect(slow.next()).rejects.toMatchObject({ errorName: 'OVERLOADED' });
    expect(await slow.next()).toMatchObject({ done: true });
    await quick.return?.();
  });

  it('a burst that is read faster than it can be sent ends no reader that keeps up, and a stopped one stops nobody', async () => {
    const paced = createUpdates(fixture, { backpressure: createBackpressure(createTurnClock()) });
    run(paced.worker);
    const merchant = await fixture.newMerchant();
    const id = await fixture.newPayment(merchant);
    const [slow, quick] = [await follow(id, null, paced), await follow(id, null, paced)];
    const burst = 5_000;
    await until(() => fixture.sql('select from event where position is null').then((rows) => rows.length === 0));
    // Numbered as they come, so that only the reader's own pace slows the tail.
    await fixture.sql(
      `with log as (update event_counter set last = last + $3 where scope = 'position' returning last - $3 as base),
         own as (update event_counter set last = last + $3 where scope = $1 returning last - $3 as base)
       insert into event (id, merchant_id, payment_id, version, type, payload, created_at, position, sequence)
       select 'evt_' || $2 || lpad(n::text, 6, '0'), $1, $2, 1 + n, 'payment.updated',
         json_build_object('orderId', $2::text, 'merchantOrderId', n::text, 'confirmations', 0, 'transactions', '[]'::json),
         now(), log.base + n, own.base + n
       from log, own, generate_series(1, $3::int) n`,
      [merchant, id, burst],
    );
    const seen: PaymentSnapshot[] = [];
    while (seen.length <= burst) {
      seen.push(await take(quick));
      // As a real sender does: the next one after the system has taken this one.
      await nextTurn();
    }
    expect(seen.slice(1).map((item) => Number(item.merchantOrderId))).toEqual(
      Array.from({ length: burst }, (_, i) => i + 1),
    );
    await expect(slow.next()).rejects.toMatchObject({ errorName: 'OVERLOADED' });
    await quick.return?.();
  });

  it('ending a stream ends a wait for its next item, by return and by throw', async () => {
    const id = await fixture.newPayment(await fixture.newMerchant());
    const streams = [await follow(id), await follow(id)] as const;
    await Promise.all(streams.map(take));
    const waits = streams.map((stream) => stream.next());
    await streams[0].return?.();
    await expect(streams[1].throw?.(new Error('gone'))).rejects.toThrow('gone');
    for (const wait of waits) expect(await wait).toMatchObject({ done: true });
  });

  it('who comes back after everyone had gone is not shown the past', async () => {
    const merchant = await fixture.newMerchant();
    const id = await fixture.newPayment(merchant);
    const stream = await follow(id);
    await stream.return?.();
    await fixture.change(id, mark(1));
    await until(() => fixture.sql('select from event where position is null').then((rows) => rows.length === 0));
    const again = live.followMerchant(merchant);
    const beside = await follow(id);
    expect(await take(beside)).toMatchObject({ merchantOrderId: '1' });
    await fixture.change(id, mark(2));
    expect(await take(again)).toMatchObject({ merchantOrderId: '2' });
    await Promise.all([again.return?.(), beside.return?.()]);
  });
});
