// The event log as a stream: from any position on, without gaps, in order, however it is joined and however slowly
// read.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createUpdates, type UpdatesService } from '../../../src/dispatch/subscriptions/updates.ts';
import { setTimeout as rest } from 'node:timers/promises';
import { createEventNumbering } from '../../../src/dispatch/outbox/number-events.ts';
import type { LogEntry } from '../../../src/domain/events/event-log.ts';
import { createLoop, type Loop } from '../../../src/loop.ts';
import { createTurns } from '../../../src/server/admission/admission-queue.ts';
import { until } from '../../support/until.ts';
import { log, openLiveFixture, type LiveFixture } from './setup.fixture.ts';

let fixture: LiveFixture;
let live: UpdatesService;
let loops: Loop[] = [];

beforeAll(async () => {
  fixture = await openLiveFixture();
  live = createUpdates(fixture);
  loops = [createEventNumbering(fixture), live.worker].map((worker) => createLoop(worker, { idleMs: 3, log }));
});
afterAll(async () => {
  expect(live.listeners()).toBe(0);
  await Promise.all(loops.map((loop) => loop.stop()));
  await fixture.stop();
});

const take = async (stream: AsyncIterator<LogEntry>, count: number): Promise<LogEntry[]> => {
  const entries: LogEntry[] = [];
  while (entries.length < count) {
    const { value, done } = await stream.next();
    if (done) throw new Error('The stream has ended');
    entries.push(value);
  }
  return entries;
};
const sequences = (entries: readonly LogEntry[]) => entries.map(({ sequence }) => sequence);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const numbered = (merchant: string, last: number) =>
  until(async () => {
    const [row] = await fixture.sql<{ last: string }>('select last from event_counter where scope = $1', [merchant]);
    return Number(row?.last ?? 0) === last;
  });

describe('the event log as a stream', () => {
  it('from 0 it has every event there is, then those that are added, each with the payment as of then', async () => {
    const merchant = await fixture.newMerchant();
    const id = await fixture.newPayment(merchant);
    await fixture.change(id, { merchantOrderId: 'a' });
    await numbered(merchant, 2);
    const stream = await live.followEvents(merchant, 0);
    const there = await take(stream, 2);
    await fixture.change(id, { merchantOrderId: 'b' });
    await fixture.newPayment(await fixture.newMerchant());
    const [added] = await take(stream, 1);
    expect(sequences(there)).toEqual([1, 2]);
    expect(there[1]).toMatchObject({ type: 'payment.updated', payment: { id, merchantOrderId: 'a' } });
    expect(added).toMatchObject({ sequence: 3, id: expect.stringMatching(/^evt_/), payment: { merchantOrderId: 'b' } });
    expect(added?.createdAt).toBeInstanceOf(Date);
    await stream.return?.();
  });

  it('without a place it begins now; with one that is not reached yet, there', async () => {
    const merchant = await fixture.newMerchant();
    const id = await fixture.newPayment(merchant);
    await numbered(merchant, 1);
    const [now, later] = [await live.followEvents(merchant, null), await live.followEvents(merchant, 3)];
    for (let i = 0; i < 4; i += 1) await fixture.change(id);
    expect(sequences(await take(now, 4))).toEqual([2, 3, 4, 5]);
    expect(sequences(await take(later, 2))).toEqual([4, 5]);
    await Promise.all([now.return?.(), later.return?.()]);
  });

  it('while 300 events are made, readers that join anywhere, break off and resume get them all, in order, once', async () => {
    const merchant = await fixture.newMerchant();
    const id = await fixture.newPayment(merchant);
    const collect = async (piece: number): Promise<number[]> => {
      const seen: number[] = [];
      while (seen.length < 300) {
        const stream = await live.followEvents(merchant, seen.at(-1) ?? 0);
        seen.push(...sequences(await take(stream, Math.min(piece, 300 - seen.length))));
        await stream.return?.();
      }
      return seen;
    };
    const collected: Promise<number[]>[] = [];
    for (let i = 1; i < 300; i += 1) {
      if (i % 60 === 1) collected.push(collect(i));
      await fixture.change(id);
    }
    collected.push(collect(120));
    for (const seen of await Promise.all(collected)) expect(seen).toEqual(range(1, 300));
  });

  it('a reader that stops loses nothing and is not ended, and what waits for it is not kept', async () => {
    const merchant = await fixture.newMerchant();
    const id = await fixture.newPayment(merchant);
    const [slow, quick] = [await live.followEvents(merchant, 0), await live.followEvents(merchant, 0)];
    await take(slow, 1);
    // More than any queue holds.
    await fixture.sql(
      `insert into event (id, merchant_id, payment_id, version, type, payload, created_at)
       select 'evt_' || $1 || lpad(n::text, 6, '0'), $1, $2, n, 'payment.updated', '{"orderId":"x"}', now()
       from generate_series(2, 3000) n`,
      [merchant, id],
    );
    expect(sequences(await take(quick, 3_000))).toEqual(range(1, 3_000));
    expect(sequences(await take(slow, 2_999))).toEqual(range(2, 3_000));
    await Promise.all([slow.return?.(), quick.return?.()]);
  });

  it('what is read of the table is let pass one by one, what is added then is not; leaving ends the wait', async () => {
    const merchant = await fixture.newMerchant();
    const id = await fixture.newPayment(merchant);
    for (let i = 0; i < 4; i += 1) await fixture.change(id);
    await numbered(merchant, 5);
    let passed = 0;
    const letPass = (signal: AbortSignal) => {
      passed += 1;
      return passed < 4 ? Promise.resolve() : rest(60_000, undefined, { signal });
    };
    const stream = await live.followEvents(merchant, 0, letPass);
    expect(sequences(await take(stream, 3))).toEqual([1, 2, 3]);
    const wait = stream.next();
    await until(() => passed === 4);
    await stream.return?.();
    expect(await wait).toMatchObject({ done: true });

    const now = await live.followEvents(merchant, 4, letPass);
    passed = 0;
    await take(now, 1);
    await fixture.change(id);
    await fixture.change(id);
    expect(sequences(await take(now, 2))).toEqual([6, 7]);
    expect(passed).toBe(1);
    await now.return?.();
  });

  it('pages are read in turns by merchant, however many read for one of them', async () => {
    const turns = createTurns(1);
    const [busy, quiet] = [await fixture.newMerchant(), await fixture.newMerchant()];
    const read: string[] = [];
    const takeTurn = <Result>(merchant: string, work: () => Promise<Result>) =>
      turns(merchant, () => {
        read.push(merchant);
        return work();
      });
    const inTurns = createUpdates(fixture, { takeTurn });
    const streams = await Promise.all(
      [...Array.from({ length: 20 }, () => busy), quiet].map((merchant) => inTurns.followEvents(merchant, 0)),
    );
    const waits = streams.map((stream) => stream.next());
    await until(() => read.length === 21);
    expect(read.indexOf(quiet)).toBeLessThan(4);
    for (const stream of streams) await stream.return?.();
    await Promise.all(waits);
  });

  it('ending it ends a wait for the next event', async () => {
    const stream = await live.followEvents(await fixture.newMerchant(), null);
    const wait = stream.next();
    await stream.return?.();
    expect(await wait).toMatchObject({ done: true });
  });
});
