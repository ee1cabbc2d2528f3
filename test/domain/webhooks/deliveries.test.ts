// The merchant's own endpoint and the delivery records, as the domain returns them.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USUAL_EVENT_TYPES } from '../../../src/values/internet/webhook-events.ts';
import { configureWebhook, findDeliveryRecord } from '../../../src/domain/webhooks/deliveries.ts';
import { newId } from '../../../src/values/id.ts';
import { openSetup, type Setup } from '../../dispatch/webhook-setup.fixture.ts';

let setup: Setup;
beforeAll(async () => {
  setup = await openSetup();
});
afterAll(() => setup.close());

const URL_A = 'https://a.example/hook';

describe('configureWebhook', () => {
  it('answers the endpoint with every usual type and the secret of the merchant', async () => {
    const { id, secret } = await setup.addMerchant();
    expect(await configureWebhook(setup.deps, id, { url: URL_A })).toEqual({
      id: expect.stringMatching(/^whk_/) as unknown,
      url: URL_A,
      enabled: true,
      events: [...USUAL_EVENT_TYPES],
      secret,
    });
  });

  it('changes only what is sent', async () => {
    const { id } = await setup.addMerchant();
    const first = await configureWebhook(setup.deps, id, { url: URL_A, enabled: false });
    expect(first.enabled).toBe(false);
    expect(await configureWebhook(setup.deps, id, { enabled: true })).toEqual({ ...first, enabled: true });
    const moved = { ...first, url: 'https://b.example/', enabled: true };
    expect(await configureWebhook(setup.deps, id, { url: moved.url, enabled: null })).toEqual(moved);
    expect(await configureWebhook(setup.deps, id, {})).toEqual(moved);
  });

  it('needs a URL the first time (2001)', async () => {
    const { id } = await setup.addMerchant();
    await expect(configureWebhook(setup.deps, id, { enabled: true })).rejects.toMatchObject({
      errorName: 'VALIDATION',
      details: [{ path: 'input.url', message: 'is required' }],
    });
  });

  it('refuses what is no URL (2001) and where we do not send (5001)', async () => {
    const { id } = await setup.addMerchant();
    const deps = { ...setup.deps, webhookAllowPrivate: false };
    await expect(configureWebhook(deps, id, { url: 'ftp://a.example/' })).rejects.toMatchObject({
      errorName: 'VALIDATION',
      details: [{ path: 'input.url' }],
    });
    for (const url of ['http://127.1/', 'http://[::1]/', 'http://localhost./', 'https://a.example:22/'])
      await expect(configureWebhook(deps, id, { url })).rejects.toMatchObject({ errorName: 'WEBHOOK_URL_REFUSED' });
    expect(await setup.sql('select 1 from webhook_endpoint where merchant_id = $1', [id])).toEqual([]);
  });

  it('makes one endpoint however many first calls there are at once', async () => {
    const { id } = await setup.addMerchant();
    const calls = Array.from({ length: 10 }, (_, n) => configureWebhook(setup.deps, id, { url: `${URL_A}/${n}` }));
    const ids = (await Promise.all(calls)).map((endpoint) => endpoint.id);
    expect(new Set(ids).size).toBe(1);
  });
});

describe('findDeliveryRecord', () => {
  it('shows what was not tried yet', async () => {
    const { id } = await setup.addMerchant();
    await configureWebhook(setup.deps, id, { url: URL_A });
    const event = await setup.addEvent(id);
    await setup.relayAll();
    expect(await findDeliveryRecord(setup.deps, id, event.id)).toMatchObject({
      status: 'PENDING',
      attempts: 0,
      lastAttemptAt: null,
      nextRetryAt: null,
      responseCode: null,
      responseTimeMs: null,
      attemptLog: [],
    });
  });

  it("is 2004 for another merchant's event, one without deliveries, one that never was, and what is no id", async () => {
    const [mine, other] = [await setup.addMerchant(), await setup.addMerchant()];
    await configureWebhook(setup.deps, other.id, { url: URL_A });
    const [foreign, undelivered] = [await setup.addEvent(other.id), await setup.addEvent(mine.id)];
    await setup.relayAll();
    for (const eventId of [foreign.id, undelivered.id, newId('evt'), 'evt_1', "'; --"])
      await expect(findDeliveryRecord(setup.deps, mine.id, eventId)).rejects.toMatchObject({ errorName: 'NOT_FOUND' });
  });
});
