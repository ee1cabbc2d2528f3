// Lanes on a real database: due deliveries are always found, under any concurrency, and stuck lanes cost little.

import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { claimDeliveries, type Claim } from '../../../../src/database/queries/webhooks/claim-deliveries.ts';
import { disableEndpoint } from '../../../../src/database/queries/webhooks/disable-deliveries.ts';
import { lockEndpoint } from '../../../../src/database/queries/webhooks/endpoint-failures.ts';
import { recordAttempts } from '../../../../src/database/queries/webhooks/record-attempts.ts';
import { insertDeliveries, type NewDelivery } from '../../../../src/database/queries/events/relay-events.ts';
import { releaseClaims } from '../../../../src/database/queries/webhooks/release-claims.ts';
import { inTransaction } from '../../../../src/domain/deps.ts';
import { configureWebhook } from '../../../../src/domain/webhooks/deliveries.ts';
import { createLoop, type Loop } from '../../../../src/loop.ts';
import { newId } from '../../../../src/values/id.ts';
import { createHttpClient, type HttpClient } from '../../../../src/egress/http-client.ts';
import { closeReceivers } from '../../receivers.fixture.ts';
import { receiveWebhooks } from '../../webhook-receiver.fixture.ts';
import { openSetup, until, type Setup } from '../../webhook-setup.fixture.ts';
import { runningMs } from '../../../support/running-time.ts';
import { countVisited, type PlanNode } from '../../../support/visited-rows.ts';

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
  await setup.sql('delete from webhook_lane');
});

const NOTHING_CLOSED = { closedLanes: [], closedMerchants: [], failingLanes: [], failingLimit: 0 };
const claim = (share: number, leaseMs = 20_000) =>
  claimDeliveries(setup.deps.db.pool, {
    choice: NOTHING_CLOSED,
    share: (due) => due.map(() => share),
    lease: randomUUID(),
    leaseMs,
  });

/**
 * Finds lanes whose due time is later than that of a waiting delivery, or than the end of a lease. There must never be
 * any.
 */
const LATE_LANES = `
with taken as (
  select held.id, held.attempts from webhook_claim c
  cross join lateral unnest(c.delivery_ids, c.attempts) as held(id, attempts) where held.id <> all(c.given_back)
), waiting as (
  select lane, due_at from webhook_delivery d
  where due_at is not null and not exists (select 1 from taken t where t.id = d.id and t.attempts = d.attempts)
  union all select lane, leased_until from webhook_claim
)
select w.lane, l.due_at as lane_due_at, min(w.due_at) as due_at from waiting w left join webhook_lane l using (lane)
group by w.lane, l.due_at having l.due_at is null or l.due_at > min(w.due_at)`;

interface Target {
  readonly merchantId: string;
  readonly endpointId: string;
  readonly events: readonly string[];
}

async function addTarget(events: number): Promise<Target> {
  const { id: merchantId } = await setup.addMerchant();
  const { id: endpointId } = await configureWebhook(setup.deps, merchantId, { url: 'http://receiver.test/' });
  const ids: string[] = [];
  for (let n = 0; n < events; n += 1) ids.push((await setup.addEvent(merchantId)).id);
  return { merchantId, endpointId, events: ids };
}

function delivery({ merchantId, endpointId }: Target, eventId: string, resend: number): NewDelivery {
  const url = 'http://receiver.test/';
  return { id: newId('dlv'), eventId, merchantId, endpointId, isPrimary: true, lane: endpointId, url, resend };
}

/** What may happen to deliveries, each in a transaction of its own. */
function createActions(targets: readonly Target[], random: () => number) {
  const held: Claim[] = [];
  let resend = 0;
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)];
  const take = () => held.splice(0, 1 + Math.floor(random() * 4));
  const finish = (status: 'SUCCESS' | 'RETRYING') => {
    const nextRetryAt = status === 'RETRYING' ? new Date(Date.now() + random() * 60 - 20) : null;
    const answer = { at: new Date(), responseCode: 500, responseTimeMs: 1, responseStart: '', error: null };
    const attempts = take().map((each) => ({ ...each, ...answer, status, nextRetryAt }));
    return recordAttempts(setup.deps.db.em, attempts);
  };
  return {
    relay: () =>
      inTransaction(setup.deps, async (em) => {
        const chosen = targets.filter(() => random() < 0.6);
        resend += 1;
        const round = resend;
        await insertDeliveries(
          em,
          chosen.map((target) => delivery(target, pick(target.events) ?? '', round)),
        );
        // Some commit late, after others have looked.
        if (random() < 0.5) await em.execute('select pg_sleep(0.003)');
      }),
    claim: async () =>
      void held.push(...(await claim(1 + Math.floor(random() * 3), random() < 0.3 ? 5 : 20_000)).claims),
    succeed: () => finish('SUCCESS'),
    retry: () => finish('RETRYING'),
    release: () => releaseClaims(setup.deps.db.em, take()),
    // The claimer is gone and never finishes what it held.
    kill: () => Promise.resolve(void take()),
    disable: () =>
      inTransaction(setup.deps, async (em) => {
        const { endpointId = '' } = pick(targets) ?? {};
        await lockEndpoint(em, endpointId);
        await disableEndpoint(em, endpointId, { reason: 'test', at: new Date() });
      }),
  };
}

describe('a lane is never due later than its earliest waiting delivery', () => {
  it('under any interleaving of relay, claim, finish, retry, release, disable and kill', async () => {
    const targets = [await addTarget(5), await addTarget(5), await addTarget(5)];
    const actions = createActions(targets, Math.random);
    const often = [
      'relay',
      'relay',
      'claim',
      'claim',
      'succeed',
      'retry',
      'retry',
      'release',
      'kill',
      'disable',
    ] as const;
    let steps = 0;
    const act = async () => {
      while (steps < 1_500) {
        steps += 1;
        await actions[often[Math.floor(Math.random() * often.length)] ?? 'claim']();
      }
    };
    const late: unknown[] = [];
    const watch = async () => {
      while (steps < 1_500) late.push(...(await setup.sql(LATE_LANES)));
    };
    await Promise.all([watch(), ...Array.from({ length: 8 }, act)]);
    late.push(...(await setup.sql(LATE_LANES)));
    expect(late).toEqual([]);
    // Claims alone find everything that is left once it is due: nothing was forgotten.
    await setup.sql(`update webhook_delivery set due_at = now() where due_at > now()`);
    await setup.sql(`update webhook_claim set leased_until = least(leased_until, now())`);
    await setup.sql(`update webhook_lane set due_at = least(due_at, now()) where due_at is not null`);
    let claimed = 0;
    for (let found = -1; found !== 0; claimed += found) found = (await claim(1_000)).claims.length;
    const [row] = await setup.sql<{ n: number }>(
      'select count(*)::int as n from webhook_delivery where due_at is not null',
    );
    expect(claimed).toBe(row?.n);
  });

  it('when a relay is under way while its lane is claimed', async () => {
    const target = await addTarget(2);
    const [first = '', second = ''] = target.events;
    await inTransaction(setup.deps, (em) => insertDeliveries(em, [delivery(target, first, 0)]));
    await inTransaction(setup.deps, async (em) => {
      await insertDeliveries(em, [delivery(target, second, 0)]);
      // The relay holds the lane until it commits: a claim skips it without waiting and without harming it.
      expect((await claim(10)).claims).toEqual([]);
    });
    expect((await claim(10)).claims).toHaveLength(2);
    expect(await setup.sql(LATE_LANES)).toEqual([]);
  });
});

/** Claims one delivery of a lane, and counts the deliveries that its statements visit. */
async function claimOne(closedLane: string): Promise<{ claimed: number; visited: number }> {
  const { pool } = setup.deps.db;
  const client = await pool.connect();
  let visited = 0;
  const asked = async (text: string, values?: unknown[]) => {
    if (/^\s*with/.test(text)) {
      // The rows are counted in a run that is rolled back.
      await client.query('savepoint counted');
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (analyze, format json) ${text}`,
        values,
      );
      await client.query('rollback to savepoint counted');
      for (const row of rows) visited += countVisited(row['QUERY PLAN'][0].Plan, ['webhook_delivery']);
    }
    return client.query(text, values);
  };
  const counting = { connect: () => Promise.resolve({ query: asked, release: () => client.release() }) };
  const { claims } = await claimDeliveries(counting as never, {
    choice: { ...NOTHING_CLOSED, closedLanes: [closedLane] },
    ...{ share: () => [1], lease: randomUUID(), leaseMs: 20_000 },
  });
  return { claimed: claims.length, visited };
}

it('a claim sees no more for a hundred thousand deliveries that wait in its lane', async () => {
  const [small, large] = [await addTarget(1), await addTarget(1)];
  for (const target of [small, large])
    await inTransaction(setup.deps, (em) => insertDeliveries(em, [delivery(target, target.events[0] ?? '', 0)]));
  const waiting = { [small.endpointId]: 100, [large.endpointId]: 100_000 };
  for (const [lane, count] of Object.entries(waiting)) {
    await setup.sql(
      `insert into webhook_delivery (id, event_id, merchant_id, endpoint_id, is_primary, lane, url, status, resend, due_at,
         created_at)
       select id || '-' || n, event_id, merchant_id, endpoint_id, true, lane, url, 'PENDING', n, due_at, now()
       from webhook_delivery, generate_series(1, $2::int) n where lane = $1 and resend = 0`,
      [lane, count],
    );
  }
  for (let n = 0; n < 30; n += 1) {
    const [ofSmall, ofLarge] = [await claimOne(large.endpointId), await claimOne(small.endpointId)];
    expect([ofSmall.claimed, ofLarge.claimed]).toEqual([1, 1]);
    expect(ofSmall.visited).toBeGreaterThan(0);
    // As many with either plan; a scan of the lane would visit a hundred thousand.
    expect(ofLarge.visited).toBeLessThanOrEqual(ofSmall.visited + 100);
  }
});

describe('stuck lanes', () => {
  it('a hundred of them, each with due deliveries, leave a healthy one its slots', async () => {
    const silent = await receiveWebhooks(() => undefined);
    const lively = await receiveWebhooks();
    const hasty = createHttpClient({ allowPrivate: true, deadlineMs: 150 });
    // Only the silent receiver has the short deadline; the healthy one must not time out when the machine stands still.
    const post: HttpClient['post'] = (request) =>
      (request.url.startsWith(silent.url) ? hasty : setup.egress).post(request);
    const egress = { post, close: hasty.close };
    for (let n = 0; n < 100; n += 1) {
      const { id } = await setup.addMerchant();
      await configureWebhook(setup.deps, id, { url: silent.url });
      for (let k = 0; k < 5; k += 1) await setup.addEvent(id);
    }
    await setup.relayAll();
    let ended = 0;
    const sender = setup.createSender({
      egress,
      concurrency: 64,
      wake: () => loop.nudge(),
      onAttempt: () => (ended += 1),
    });
    const loop: Loop = createLoop(sender, { idleMs: 50, log: setup.deps.log });
    // All of them are known to hang before the healthy one has anything to send.
    await until(() => sender.state().failingLanes >= 64 && ended >= 128);
    const { id } = await setup.addMerchant();
    await configureWebhook(setup.deps, id, { url: lively.url });
    const latenciesMs: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      await setup.addEvent(id);
      await setup.relayAll();
      loop.nudge();
      latenciesMs.push(await runningMs(until(() => lively.received.length > n)));
    }
    // If slots waited for time-outs, it would take a hundred rounds of 150 ms.
    expect(latenciesMs.sort((a, b) => a - b)[5]).toBeLessThan(500);
    await loop.stop();
    await sender.drain();
    await egress.close();
  });
});
