// Several senders on one database, killed, stopped and shut down: no attempt twice at once, none lost, none miscounted.

import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { claimDeliveries, type Claim } from '../../../src/database/queries/webhooks/claim-deliveries.ts';
import { recordAttempts, type FinishedAttempt } from '../../../src/database/queries/webhooks/record-attempts.ts';
import { configureWebhook } from '../../../src/domain/webhooks/deliveries.ts';
import { createLoop, type Loop } from '../../../src/loop.ts';
import { createHttpClient } from '../../../src/egress/http-client.ts';
import { closeReceivers } from '../receivers.fixture.ts';
import type { SenderNews, SenderTask } from './sender-program.fixture.ts';
import { attemptOf, receiveWebhooks, status, type Received } from '../webhook-receiver.fixture.ts';
import { openSetup, PATIENCE, until, type Setup } from '../webhook-setup.fixture.ts';
import { runningMs } from '../../support/running-time.ts';

let setup: Setup;
beforeAll(async () => {
  setup = await openSetup();
});
afterAll(() => setup.close());
afterEach(async () => {
  await closeReceivers();
  await setup.sql('delete from webhook_attempt');
  await setup.sql('delete from webhook_delivery');
  await setup.sql('delete from webhook_claim');
});

async function addEvents(url: string, count: number): Promise<string> {
  const { id } = await setup.addMerchant();
  await configureWebhook(setup.deps, id, { url });
  for (let n = 0; n < count; n += 1) await setup.addEvent(id);
  await setup.relayAll();
  return id;
}

/** A sender as its process runs it. */
function runSender(options: { retryDelaysSeconds?: number[]; concurrency?: number } = {}): {
  loop: Loop;
  stop(): Promise<void>;
} {
  const sender = setup.createSender({ ...options, wake: () => loop.nudge() });
  const loop: Loop = createLoop(sender, { idleMs: 10, log: setup.deps.log });
  return { loop, stop: async () => void (await Promise.all([loop.stop(), sender.drain()])) };
}

const waiting = async () => {
  const [row] = await setup.sql<{ n: number }>(
    'select count(*)::int as n from webhook_delivery where due_at is not null',
  );
  return row?.n ?? 0;
};

/** Claims like a sender that is killed right after. */
const claimAndDie = async () => {
  const choice = { closedLanes: [], closedMerchants: [], failingLanes: [], failingLimit: 0 };
  const request = {
    choice,
    share: (due: readonly unknown[]) => due.map(() => 10),
    lease: randomUUID(),
    leaseMs: 20_000,
  };
  return (await claimDeliveries(setup.deps.db.pool, request)).claims;
};

/** An attempt, under this claim, that the receiver answered with 500. */
const failureOf = (claim: Claim): FinishedAttempt => ({
  ...claim,
  at: new Date(),
  responseCode: 500,
  responseTimeMs: 1,
  responseStart: '',
  error: null,
  status: 'RETRYING',
  nextRetryAt: new Date(),
});

describe('several senders', () => {
  it('never post the same attempt twice, over 200 deliveries with a failure each', async () => {
    const seen = new Map<string, number>();
    const { url, received } = await receiveWebhooks((response, _nth, webhook) => {
      const id = String(webhook.headers['x-pgw-delivery-id']);
      seen.set(id, (seen.get(id) ?? 0) + 1);
      response.writeHead(seen.get(id) === 1 ? 503 : 200).end();
    });
    await addEvents(url, 200);
    const senders = Array.from({ length: 3 }, () => runSender({ retryDelaysSeconds: [0.02] }));
    await until(async () => (await waiting()) === 0);
    await Promise.all(senders.map((sender) => sender.stop()));
    expect(received).toHaveLength(400);
    expect(new Set(received.map(attemptOf)).size).toBe(400);
    const rows = await setup.sql('select status, attempts, count(*)::int as n from webhook_delivery group by 1, 2');
    expect(rows).toEqual([{ status: 'SUCCESS', attempts: 2, n: 200 }]);
  });
});

describe('a sender that is killed between claim and record', () => {
  it('burns no attempt: the delivery is made under the same number once the lease is over', async () => {
    const { url, received } = await receiveWebhooks();
    await addEvents(url, 1);
    const [lost] = await claimAndDie();
    expect(lost?.attempt).toBe(1);
    await setup.dispatch();
    expect(received).toHaveLength(0);
    await setup.makeDue();
    await setup.dispatch();
    expect(received.map(attemptOf)).toEqual([`${String(lost?.deliveryId)} 1`]);
    expect(await setup.sql('select attempts from webhook_delivery')).toEqual([{ attempts: 1 }]);
    // A claim is gone with its last delivery recorded; the dead sender's claim was taken over.
    expect(await setup.sql('select 1 from webhook_claim')).toEqual([]);
  });

  it('changes nothing when it comes back: a stale finish is fenced', async () => {
    const { url } = await receiveWebhooks();
    await addEvents(url, 1);
    const [stale] = await claimAndDie();
    if (!stale) throw new Error('nothing was claimed');
    await setup.makeDue();
    await setup.dispatch();
    const before = await setup.sql('select * from webhook_delivery');
    expect(await recordAttempts(setup.deps.db.em, [failureOf(stale)])).toEqual(new Map());
    expect(await setup.sql('select * from webhook_delivery')).toEqual(before);
    expect(await setup.sql('select attempt, response_code from webhook_attempt')).toEqual([
      { attempt: 1, response_code: 200 },
    ]);
  });

  it('changes nothing either while the next sender has not recorded its attempt yet', async () => {
    const { url } = await receiveWebhooks();
    await addEvents(url, 1);
    const [stale] = await claimAndDie();
    await setup.makeDue();
    const [next] = await claimAndDie();
    if (!stale || !next) throw new Error('nothing was claimed');
    expect(next).toMatchObject({ deliveryId: stale.deliveryId, attempt: 1 });
    const before = await setup.sql('select * from webhook_delivery');
    expect(await recordAttempts(setup.deps.db.em, [failureOf(stale)])).toEqual(new Map());
    expect(await setup.sql('select * from webhook_delivery')).toEqual(before);
    expect(await setup.sql('select 1 from webhook_attempt')).toEqual([]);
    expect((await recordAttempts(setup.deps.db.em, [failureOf(next)])).size).toBe(1);
    expect(await setup.sql('select attempts from webhook_delivery')).toEqual([{ attempts: 1 }]);
  });

  it('records an attempt once, however often it is handed over', async () => {
    const { url } = await receiveWebhooks();
    await addEvents(url, 1);
    const [claim] = await claimAndDie();
    if (!claim) throw new Error('nothing was claimed');
    expect((await recordAttempts(setup.deps.db.em, [failureOf(claim)])).size).toBe(1);
    const before = await setup.sql('select * from webhook_delivery');
    expect(await recordAttempts(setup.deps.db.em, [failureOf(claim)])).toEqual(new Map());
    expect(await setup.sql('select * from webhook_delivery')).toEqual(before);
    expect(await setup.sql('select attempt from webhook_attempt')).toEqual([{ attempt: 1 }]);
  });
});

describe('a sender that is stopped for longer than its lease', () => {
  it('changes nothing when it goes on: what the next one recorded stands', async () => {
    let answerFirst = () => undefined as void;
    const { url, received } = await receiveWebhooks((response, nth) => {
      if (nth === 1) answerFirst = () => void response.writeHead(500).end();
      else response.end();
    });
    await addEvents(url, 1);
    const stopped = await startProgram(PATIENCE.leaseMs);
    await until(() => received.length === 1);
    stopped.child.kill('SIGSTOP');
    // The answer is there for it to read; its lease ends meanwhile, and another sender takes over.
    answerFirst();
    await setup.makeDue();
    const other = runSender();
    await until(async () => (await waiting()) === 0);
    const before = await setup.sql('select * from webhook_delivery');
    stopped.child.kill('SIGCONT');
    await until(() => stopped.news.includes('lost'));
    expect(stopped.news).toEqual(['ready', 'lost']);
    expect(await setup.sql('select * from webhook_delivery')).toEqual(before);
    expect(before).toMatchObject([{ status: 'SUCCESS', attempts: 1, due_at: null }]);
    expect(await setup.sql('select attempt, response_code, status from webhook_attempt')).toEqual([
      { attempt: 1, response_code: 200, status: 'SUCCESS' },
    ]);
    expect(received.map(attemptOf)).toEqual([attemptOf(received[0] as Received), attemptOf(received[0] as Received)]);
    await Promise.all([other.stop(), stopped.end()]);
  });
});

/** A sender in a process of its own. */
async function startProgram(leaseMs: number) {
  const child = fork(new URL('./sender-program.fixture.js', import.meta.url), { execArgv: [] });
  const news: SenderNews[] = [];
  child.on('message', (message: SenderNews) => void news.push(message));
  child.send({ databaseUrl: setup.databaseUrl, leaseMs } satisfies SenderTask);
  await until(() => news.includes('ready'));
  const end = async () => {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  };
  return { child, news, end };
}

describe('slots', () => {
  it('a silent receiver with many due deliveries leaves slots for its neighbours', async () => {
    const silent = await receiveWebhooks(() => undefined);
    const lively = await receiveWebhooks();
    await addEvents(silent.url, 60);
    await addEvents(lively.url, 60);
    const sender = runSender({ concurrency: 16 });
    await until(() => lively.received.length === 60);
    expect(silent.received.length).toBeLessThanOrEqual(2);
    await closeReceivers();
    await sender.stop();
  });

  it('are all used by a receiver that is quick, without waiting for the next poll', async () => {
    const { url, received } = await receiveWebhooks();
    await addEvents(url, 100);
    const sender = setup.createSender({ concurrency: 8, wake: () => loop.nudge() });
    const loop: Loop = createLoop(sender, { idleMs: 60_000, log: setup.deps.log });
    await until(() => received.length === 100);
    await loop.stop();
    await sender.drain();
  });
});

describe('shutdown', () => {
  it('waits for posts under way and records them', async () => {
    let answer = () => undefined as void;
    const { url, received } = await receiveWebhooks((response) => {
      answer = () => void response.end();
    });
    await addEvents(url, 1);
    const sender = setup.createSender();
    await sender.processNext();
    await until(() => received.length === 1);
    const drained = sender.drain();
    answer();
    await drained;
    expect(await setup.sql('select status from webhook_delivery')).toEqual([{ status: 'SUCCESS' }]);
  });

  it('gives back claims that were not sent: they are due at once', async () => {
    const { url, received } = await receiveWebhooks();
    await addEvents(url, 5);
    const sender = setup.createSender();
    const claiming = sender.processNext();
    await sender.drain();
    expect(await claiming).toBe(false);
    expect(received).toHaveLength(0);
    expect(await setup.sql('select 1 from webhook_delivery where due_at <= now()')).toHaveLength(5);
    expect(await setup.sql('select 1 from webhook_claim')).toEqual([]);
    expect(await setup.sql('select 1 from webhook_lane where due_at <= now()')).toHaveLength(1);
    expect(await sender.processNext()).toBe(false);
  });

  it('gives up a receiver that never answers at the deadline of its post, and records that', async () => {
    const { url, received } = await receiveWebhooks(() => undefined);
    await addEvents(url, 1);
    const egress = createHttpClient({ allowPrivate: true, deadlineMs: 2_500 });
    const sender = setup.createSender({ egress });
    await sender.processNext();
    await until(() => received.length === 1);
    expect(await runningMs(sender.drain())).toBeLessThan(6_000);
    await egress.close();
    expect(await setup.sql('select attempts from webhook_delivery')).toEqual([{ attempts: 1 }]);
    expect(await setup.sql('select 1 from webhook_claim')).toEqual([]);
  });
});

it('a receiver that fails each time is not posted to while its retry is not due', async () => {
  const { url, received } = await receiveWebhooks(status(500));
  await addEvents(url, 3);
  await setup.dispatch();
  await setup.dispatch();
  expect(received).toHaveLength(3);
});
