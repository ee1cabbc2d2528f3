// Attempts are counted by endpoint and hour, whichever process made them, and read as statistics.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { AttemptsOfHour } from '../../../src/database/queries/webhooks/endpoint-hours.ts';
import {
  countAttempt,
  createAttemptCounts,
  type CountedAttempt,
} from '../../../src/dispatch/webhooks/count-attempts.ts';
import { configureWebhook } from '../../../src/domain/webhooks/deliveries.ts';
import { createEndpoint } from '../../../src/domain/webhooks/endpoints.ts';
import { findEndpointStatistics } from '../../../src/domain/webhooks/endpoint-statistics.ts';
import { closeReceivers } from '../receivers.fixture.ts';
import { receiveWebhooks, status } from '../webhook-receiver.fixture.ts';
import { openSetup, type Setup } from '../webhook-setup.fixture.ts';

const HOUR = 3_600_000;
let setup: Setup;
beforeAll(async () => {
  setup = await openSetup();
});
afterAll(() => setup.close());
afterEach(closeReceivers);

const statisticsOf = (merchantId: string, hours = 24) => findEndpointStatistics(setup.deps, merchantId, hours);
const actorOf = (merchantId: string) => ({ merchantId, actor: 'owner', ip: '::1', requestId: 'r', personId: null });

const attempt = (at: string, more: Partial<CountedAttempt> = {}): CountedAttempt => ({
  ...{ at: new Date(at), responseTimeMs: 40, responseCode: 200, error: null, status: 'SUCCESS' },
  ...more,
});

describe('attempts', () => {
  it('are counted in the hour that they started in, with the last that failed, however they come', () => {
    const hours = new Map<string, AttemptsOfHour>();
    const failed = { status: 'RETRYING', responseCode: 500 } as const;
    for (const one of [
      attempt('2026-01-01T10:59:59.999Z'),
      attempt('2026-01-01T11:30:00Z', { ...failed, responseCode: null, error: 'timeout: slow' }),
      attempt('2026-01-01T11:00:00Z', { ...failed, responseTimeMs: 7_000 }),
    ])
      countAttempt(hours, 'whk_1', one);
    countAttempt(hours, 'whk_2', attempt('2026-01-01T11:00:00Z', { status: 'DISABLED', responseCode: 410 }));
    expect([...hours.values()].map(({ took: _, ...counted }) => counted)).toEqual([
      {
        ...{ endpointId: 'whk_1', hour: new Date('2026-01-01T10:00:00Z'), succeeded: 1, failed: 0 },
        ...{ failedAt: null, responseCode: null, error: null },
      },
      {
        ...{ endpointId: 'whk_1', hour: new Date('2026-01-01T11:00:00Z'), succeeded: 0, failed: 2 },
        ...{ failedAt: new Date('2026-01-01T11:30:00Z'), responseCode: null, error: 'timeout: slow' },
      },
      {
        ...{ endpointId: 'whk_2', hour: new Date('2026-01-01T11:00:00Z'), succeeded: 0, failed: 1 },
        ...{ failedAt: new Date('2026-01-01T11:00:00Z'), responseCode: 410, error: null },
      },
    ]);
  });

  it('of each endpoint are in its statistics when the sender has drained, those of a callbackUrl in none', async () => {
    const merchant = await setup.addMerchant();
    const good = await receiveWebhooks();
    const bad = await receiveWebhooks(status(503));
    const { id: primary } = await configureWebhook(setup.deps, merchant.id, { url: good.url });
    const made = await createEndpoint(setup.deps, actorOf(merchant.id) as never, { url: bad.url }, null);
    const { id: other } = made.result;
    await setup.addEvent(merchant.id);
    await setup.addEvent(merchant.id, { callbackUrl: (await receiveWebhooks()).url });
    for (const sender of [setup.createSender(), setup.createSender()]) {
      await setup.dispatch(sender);
      await sender.drain();
      await setup.makeDue();
    }
    const statistics = new Map((await statisticsOf(merchant.id)).map((one) => [one.endpointId, one]));
    expect([...statistics.keys()]).toEqual([other, primary].sort().reverse());
    expect(statistics.get(primary)).toMatchObject({
      ...{ attempts: 2, succeeded: 2, failed: 0, successRate: 1, lastFailure: null },
      p95Ms: expect.any(Number),
    });
    expect(statistics.get(other)).toMatchObject({
      ...{ attempts: 4, succeeded: 0, failed: 4, successRate: 0 },
      lastFailure: { responseCode: 503, error: null },
    });
    const { hours = [] } = statistics.get(other) ?? {};
    expect(hours).toHaveLength(24);
    expect(hours.reduce((sum, { failed }) => sum + failed, 0)).toBe(4);
    expect(hours.every(({ at }, nth) => nth === 0 || at.getTime() - (hours[nth - 1]?.at.getTime() ?? 0) === HOUR)).toBe(
      true,
    );
  });

  it('that could not be written are added to the next', async () => {
    const merchant = await setup.addMerchant();
    const { id } = await configureWebhook(setup.deps, merchant.id, { url: 'https://a.example/' });
    const now = setup.deps.clock.now();
    const lost = { getTransactionContext: () => undefined, getConnection: () => { throw new Error('gone'); } }; // prettier-ignore
    const db = { ...setup.deps.db, em: lost as never };
    const counts = createAttemptCounts({ db: new Proxy(db, { get: (target, name) => target[name as 'em'] }), log: pino({ level: 'silent' }) }); // prettier-ignore
    const note = (nth: number, status: 'SUCCESS' | 'RETRYING') => {
      const finished = { ...attempt(now.toISOString(), { status }), deliveryId: `dlv_${String(nth)}` };
      counts.note([finished as never], new Map([[finished.deliveryId, { endpointId: id, failingSince: null }]]));
    };
    note(1, 'SUCCESS');
    await counts.flush();
    note(2, 'RETRYING');
    await counts.flush();
    Object.assign(db, { em: setup.deps.db.em });
    note(3, 'SUCCESS');
    await counts.flush();
    expect(await statisticsOf(merchant.id)).toMatchObject([{ attempts: 3, succeeded: 2, failed: 1 }]);
  });
});

describe('statistics', () => {
  it('have an endpoint without attempts, and only the hours that were asked for', async () => {
    const merchant = await setup.addMerchant();
    const { id } = await configureWebhook(setup.deps, merchant.id, { url: 'https://a.example/' });
    const nothing = { successRate: null, p50Ms: null, p95Ms: null, lastFailure: null, attempts: 0 };
    expect(await statisticsOf(merchant.id, 1)).toMatchObject([{ endpointId: id, ...nothing, hours: [{ failed: 0 }] }]);
    await setup.sql(
      `insert into webhook_endpoint_hour (endpoint_id, hour, succeeded, failed, took, failed_at)
       select $1, date_trunc('hour', now()) - n * interval '1 hour', 5, 1, '{6}', now() - n * interval '1 hour'
       from generate_series(0, 30) n`,
      [id],
    );
    expect(await statisticsOf(merchant.id, 1)).toMatchObject([{ attempts: 6 }]);
    expect(await statisticsOf(merchant.id, 24)).toMatchObject([{ attempts: 144, successRate: 5 / 6, p50Ms: 1 }]);
    expect(await statisticsOf(merchant.id, 168)).toMatchObject([{ attempts: 186 }]);
    expect(await statisticsOf((await setup.addMerchant()).id)).toEqual([]);
  });
});
