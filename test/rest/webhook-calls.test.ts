// The contract of test events, of the rotation of the secret, and of resends.

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/values/id.ts';
import { PERMISSIONS } from '../../src/values/permission.ts';
import { closeReceivers } from '../dispatch/receivers.ts';
import { receiveWebhooks, status, type Received } from '../dispatch/webhook-receiver.ts';
import { newMerchant, rest, USDT_PAYMENT, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal, id, ISO } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway();
  shop = await newMerchant(gateway);
});
afterAll(async () => {
  await gateway.stop();
  await closeReceivers();
});

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const HOUR_MS = 3_600_000;

/** A merchant with an endpoint of his own, and its secret. */
async function hooked(url: string): Promise<TestMerchant & { readonly webhookSecret: string }> {
  const merchant = await newMerchant(gateway);
  const { secret } = dataOf(await merchant.rest('PUT', '/merchant/webhook', { url }));
  return { ...merchant, webhookSecret: secret as string };
}
const sendTest = (merchant: TestMerchant, fields: object = {}, headers = {}) =>
  merchant.rest('POST', '/webhooks/test', fields, headers);
const tested = async (merchant: TestMerchant, fields: object = {}): Promise<string> =>
  dataOf(await sendTest(merchant, fields)).event_id as string;
const rotate = (merchant: TestMerchant, fields: object = {}, headers = {}) =>
  merchant.rest('POST', '/merchant/webhook/rotate-secret', fields, headers);
const resend = (merchant: TestMerchant, eventId: unknown, headers = {}) =>
  merchant.rest('POST', '/webhooks/resend', { event_id: eventId }, headers);
/** The record of an event, once it has one. */
const recordOf = (merchant: TestMerchant, eventId: string) =>
  until(async (): Promise<Json> => {
    const answer = await merchant.rest('GET', `/webhooks/deliveries/${eventId}`);
    return answer.status === 200 && dataOf(answer);
  });
const settled = (merchant: TestMerchant, eventId: string, wanted: string) =>
  until(async (): Promise<Json> => {
    const record = await recordOf(merchant, eventId);
    return (record.deliveries as Json[]).every((delivery) => delivery.status === wanted) && record;
  });

/** What a receiver verifies by: each signature of a request must be that of one of these secrets, in this order. */
function expectSigned({ headers, body }: Received, secrets: readonly string[]): void {
  const [time, ...signatures] = String(headers['x-pgw-signature']).split(', ');
  expect(time).toBe(`t=${String(headers['x-pgw-timestamp'])}`);
  const signed = (secret: string) =>
    createHmac('sha256', secret)
      .update(`${time?.slice(2)}.`)
      .update(body)
      .digest('hex');
  expect(signatures).toEqual(secrets.map((secret) => `v1=${signed(secret)}`));
  expect(String(headers['webhook-signature']).split(' ')).toHaveLength(secrets.length);
}

describe('POST /webhooks/test', () => {
  it("200 goes to the merchant's own endpoint, whatever it is subscribed to, as an ordinary event", async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const [own] = dataOf(await merchant.rest('GET', '/webhooks')).items as Json[];
    dataOf(await merchant.rest('PUT', `/webhooks/${own.id}`, { events: ['payment.failed'] }));
    const elsewhere = await receiveWebhooks();
    dataOf(await merchant.rest('POST', '/webhooks', { url: elsewhere.url }), 201);
    const answer = dataOf(await sendTest(merchant));
    expectKeys(answer, ['event_id']);
    expect(answer.event_id).toMatch(id('evt'));
    const request = await until(() => hook.received[0]);
    const body = JSON.parse(request.body.toString());
    expect(body).toEqual({
      ...{ id: answer.event_id, type: 'webhook.test', apiVersion: 'v1', environment: 'sandbox' },
      ...{ createdAt: expect.stringMatching(ISO), data: {} },
    });
    expect(Object.keys(body as object)).toEqual(['id', 'type', 'apiVersion', 'environment', 'createdAt', 'data']);
    expectSigned(request, [merchant.webhookSecret]);
    const record = await settled(merchant, answer.event_id as string, 'SUCCESS');
    expect(record).toMatchObject({ url: hook.url, attempts: 1, deliveries: [{ url: hook.url }] });
    expect(elsewhere.received).toEqual([]);
  });

  it('200 with a URL goes there only, and once where that is the URL of an endpoint', async () => {
    const [hook, target] = [await receiveWebhooks(), await receiveWebhooks()];
    const merchant = await hooked(hook.url);
    const eventId = await tested(merchant, { url: target.url });
    const request = await until(() => target.received[0]);
    expect(request.headers['x-pgw-event-id']).toBe(eventId);
    expectSigned(request, [merchant.webhookSecret]);
    expect((await settled(merchant, eventId, 'SUCCESS')).deliveries).toHaveLength(1);
    dataOf(await merchant.rest('POST', '/webhooks', { url: target.url }), 201);
    const second = await tested(merchant, { url: target.url.replace('http:', 'HTTP:') });
    expect((await settled(merchant, second, 'SUCCESS')).deliveries).toHaveLength(1);
    expect(target.received).toHaveLength(2);
    expect(hook.received).toEqual([]);
  });

  it('200 with a URL needs no endpoint, and is retried like any other', async () => {
    const merchant = await newMerchant(gateway);
    const busy = await receiveWebhooks(status(503));
    const eventId = await tested(merchant, { url: busy.url });
    const record = await settled(merchant, eventId, 'RETRYING');
    expect(record).toMatchObject({ event_id: eventId, url: busy.url, attempts: 1, response_code: 503 });
    expect(record.next_retry_at).toMatch(ISO);
  });

  it('400 without a URL where the endpoint is missing, off or deleted (2001)', async () => {
    const merchant = await newMerchant(gateway);
    expectFaults(await sendTest(merchant), ['url']);
    dataOf(await merchant.rest('POST', '/webhooks', { url: 'https://example.com/' }), 201);
    expectFaults(await sendTest(merchant), ['url']);
    const own = dataOf(
      await merchant.rest('PUT', '/merchant/webhook', { url: 'https://example.com/', enabled: false }),
    );
    expectFaults(await sendTest(merchant, { url: null }), ['url']);
    dataOf(await merchant.rest('DELETE', `/webhooks/${own.id}`));
    expectFaults(await sendTest(merchant), ['url']);
    expect(await gateway.sql('select 1 from event where merchant_id = $1', [merchant.id])).toEqual([]);
  });

  it.each([
    [{ url: 'nowhere' }, ['url']],
    [{ url: 'https://a:b@example.com/' }, ['url']],
    [{ url: 7 }, ['url']],
    [{ type: 'payment.failed' }, ['type']],
  ])('400 for %j (2001)', async (fields, paths) => {
    expectFaults(await sendTest(shop, fields), paths);
  });

  it('400 for a refused port (5001)', async () => {
    expectRefusal(await sendTest(shop, { url: 'https://example.com:25/' }), 400, '5001');
  });

  it('with an Idempotency-Key sends one', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const headers = { 'idempotency-key': 'test 1' };
    const [first, again] = [await sendTest(merchant, {}, headers), await sendTest(merchant, {}, headers)];
    expect(dataOf(again)).toEqual(dataOf(first));
    expect(again.headers['idempotent-replayed']).toBe('true');
    expectRefusal(await sendTest(merchant, { url: hook.url }, headers), 422, '2002');
    await settled(merchant, dataOf(first).event_id as string, 'SUCCESS');
    expect(await gateway.sql('select 1 from event where merchant_id = $1', [merchant.id])).toHaveLength(1);
  });
});

describe('POST /merchant/webhook/rotate-secret', () => {
  it('200 signs with both secrets, the new one first, and with the oldest of three no more', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const before = Date.now();
    const first = dataOf(await rotate(merchant));
    expectKeys(first, ['secret', 'previousExpiresAt']);
    expect(first.secret).toMatch(SECRET);
    expect(first.secret).not.toBe(merchant.webhookSecret);
    expect(first.previousExpiresAt).toMatch(ISO);
    const overlapMs = Date.parse(first.previousExpiresAt as string) - before;
    expect(overlapMs).toBeGreaterThan(24 * HOUR_MS - 60_000);
    expect(overlapMs).toBeLessThan(24 * HOUR_MS + 60_000);
    expect(dataOf(await merchant.rest('PUT', '/merchant/webhook', {})).secret).toBe(first.secret);
    await tested(merchant);
    expectSigned(await until(() => hook.received[0]), [first.secret as string, merchant.webhookSecret]);
    const second = dataOf(await rotate(merchant, { overlapHours: 1 }));
    await tested(merchant);
    expectSigned(await until(() => hook.received[1]), [second.secret as string, first.secret as string]);
  });

  it('200 without an overlap, and once the overlap is over, signs with the new one alone', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const { secret, previousExpiresAt } = dataOf(await rotate(merchant, { overlapHours: 0 }));
    expect(Date.parse(previousExpiresAt as string)).toBeLessThan(Date.now() + 60_000);
    await tested(merchant);
    expectSigned(await until(() => hook.received[0]), [secret as string]);
    const next = dataOf(await rotate(merchant, { overlapHours: 168 }));
    await gateway.sql(
      `update merchant set previous_secret_expires_at = now() - interval '1 second'
       where id = $1 and previous_webhook_secret is not null`,
      [merchant.id],
    );
    await tested(merchant);
    expectSigned(await until(() => hook.received[1]), [next.secret as string]);
  });

  it('200 signs what waits for a retry with the secrets as they are then', async () => {
    const hook = await receiveWebhooks((response, nth) => void response.writeHead(nth === 1 ? 503 : 200).end());
    const merchant = await hooked(hook.url);
    const eventId = await tested(merchant);
    await settled(merchant, eventId, 'RETRYING');
    const { secret } = dataOf(await rotate(merchant, { overlapHours: 0 }));
    await resend(merchant, eventId);
    expectSigned(await until(() => hook.received[1]), [secret as string]);
  });

  it.each([{ overlapHours: -1 }, { overlapHours: 169 }, { overlapHours: 1.5 }, { overlapHours: '24' }])(
    '400 for %j (2001)',
    async (fields) => {
      expectFaults(await rotate(shop, fields), ['overlapHours']);
    },
  );

  it('with an Idempotency-Key rotates once, and shows the secret once', async () => {
    const merchant = await hooked('https://example.com/');
    const headers = { 'idempotency-key': 'rotation 1' };
    const first = dataOf(await rotate(merchant, {}, headers));
    const again = await rotate(merchant, {}, headers);
    expect(dataOf(again)).toEqual({ secret: null, previousExpiresAt: first.previousExpiresAt });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(dataOf(await merchant.rest('PUT', '/merchant/webhook', {})).secret).toBe(first.secret);
    expectRefusal(await rotate(merchant, { overlapHours: 1 }, headers), 422, '2002');
  });

  it('many at once leave the two newest', async () => {
    const merchant = await hooked('https://example.com/');
    const rotated = await Promise.all(Array.from({ length: 8 }, () => rotate(merchant)));
    const secrets = rotated.map((answer) => dataOf(answer).secret as string);
    const [row] = await gateway.sql<{ now: string; before: string }>(
      'select webhook_secret as now, previous_webhook_secret as before from merchant where id = $1',
      [merchant.id],
    );
    expect(secrets).toContain(row?.now);
    expect(secrets).toContain(row?.before);
    expect(row?.now).not.toBe(row?.before);
  });
});

describe('POST /webhooks/resend', () => {
  it('200 makes a new delivery of the same event, with the same body', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const { orderId } = dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
    dataOf(await merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`));
    const first = await until(() => hook.received[0]);
    const eventId = String(first.headers['x-pgw-event-id']);
    await settled(merchant, eventId, 'SUCCESS');
    expect(dataOf(await resend(merchant, eventId))).toEqual({ event_id: eventId, status: 'PENDING' });
    const second = await until(() => hook.received[1]);
    expect(second.body.equals(first.body)).toBe(true);
    expect(second.headers['x-pgw-event-id']).toBe(eventId);
    expect(second.headers['x-pgw-delivery-id']).not.toBe(first.headers['x-pgw-delivery-id']);
    expect(second.headers['x-pgw-attempt']).toBe('1');
    const record = await settled(merchant, eventId, 'SUCCESS');
    const ids = (record.deliveries as Json[]).map((delivery) => delivery.delivery_id as string);
    expect(ids).toEqual([second, first].map(({ headers }) => headers['x-pgw-delivery-id']));
    expect(record.delivery_id).toBe(ids[0]);
  });

  it('200 goes to the destinations as they are now: new endpoints and the callbackUrl, none that are off', async () => {
    const [gone, hook, callback] = [
      await receiveWebhooks(status(503)),
      await receiveWebhooks(),
      await receiveWebhooks(),
    ];
    const merchant = await hooked(gone.url);
    const order = { ...USDT_PAYMENT, callbackUrl: callback.url };
    const { orderId } = dataOf(await merchant.rest('POST', '/payments', order), 201);
    dataOf(await merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`));
    const eventId = String((await until(() => callback.received[0])).headers['x-pgw-event-id']);
    dataOf(await merchant.rest('POST', '/webhooks', { url: hook.url }), 201);
    dataOf(await merchant.rest('PUT', '/merchant/webhook', { enabled: false }));
    dataOf(await resend(merchant, eventId));
    await until(() => hook.received.length === 1 && callback.received.length === 2);
    expect((await recordOf(merchant, eventId)).deliveries).toHaveLength(4);
  });

  it('200 as often as it is asked for, at once too: each makes its own delivery', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const eventId = await tested(merchant);
    await settled(merchant, eventId, 'SUCCESS');
    for (const answer of await Promise.all(Array.from({ length: 6 }, () => resend(merchant, eventId)))) dataOf(answer);
    await until(() => hook.received.length === 7);
    expect(new Set(hook.received.map(({ headers }) => headers['x-pgw-delivery-id'])).size).toBe(7);
    expect((await settled(merchant, eventId, 'SUCCESS')).deliveries).toHaveLength(7);
  });

  it('200 takes the secret of a key as the bearer', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const eventId = await tested(merchant);
    await settled(merchant, eventId, 'SUCCESS');
    dataOf(await rest(gateway, merchant.secret)('POST', '/webhooks/resend', { event_id: eventId }));
    await until(() => hook.received.length === 2);
  });

  it('200 for a test event with a URL goes there again, and nowhere else', async () => {
    const [hook, target] = [await receiveWebhooks(), await receiveWebhooks()];
    const merchant = await hooked(hook.url);
    const eventId = await tested(merchant, { url: target.url });
    await until(() => target.received.length === 1);
    dataOf(await resend(merchant, eventId));
    await until(() => target.received.length === 2);
    expect(hook.received).toEqual([]);
  });

  it('400 where the event has nowhere to go any more (2001)', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const eventId = await tested(merchant);
    await settled(merchant, eventId, 'SUCCESS');
    dataOf(await merchant.rest('PUT', '/merchant/webhook', { enabled: false }));
    expectFaults(await resend(merchant, eventId), ['']);
    dataOf(await merchant.rest('PUT', '/merchant/webhook', { enabled: true }));
    dataOf(await resend(merchant, eventId));
  });

  it('400 without an event_id, or with what is none of our fields (2001)', async () => {
    expectFaults(await shop.rest('POST', '/webhooks/resend', {}), ['event_id']);
    expectFaults(await shop.rest('POST', '/webhooks/resend', { event_id: null }), ['event_id']);
    const both = { event_id: 'evt_1', eventId: 'evt_1' };
    expectFaults(await shop.rest('POST', '/webhooks/resend', both), ['eventId']);
  });

  it("404 for ill-formed ids, unknown ones, events that are not sent, and another merchant's (2004)", async () => {
    const hook = await receiveWebhooks();
    const theirs = await hooked(hook.url);
    const eventId = await tested(theirs);
    const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
    const [silent] = await gateway.sql<{ id: string }>('select id from event where payment_id = $1', [orderId]);
    const headers = { 'x-request-id': 'the-same' };
    const texts = new Set<string>();
    for (const one of ['evt_', 7, "'; --", newId('evt'), silent?.id, eventId]) {
      const answer = await resend(shop, one, headers);
      expectRefusal(answer, 404, '2004');
      texts.add(answer.text);
    }
    expect(texts.size).toBe(1);
    await until(() => hook.received.length === 1);
  });

  it('with an Idempotency-Key makes one delivery', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const [one, two] = [await tested(merchant), await tested(merchant)];
    await settled(merchant, two, 'SUCCESS');
    const headers = { 'idempotency-key': 'resend 1' };
    const [first, again] = [await resend(merchant, one, headers), await resend(merchant, one, headers)];
    expect(dataOf(again)).toEqual(dataOf(first));
    expect(again.headers['idempotent-replayed']).toBe('true');
    expectRefusal(await resend(merchant, two, headers), 422, '2002');
    expect((await settled(merchant, one, 'SUCCESS')).deliveries).toHaveLength(2);
  });
});

describe('without the right to', () => {
  let calls: readonly (readonly [method: string, path: string, body?: unknown])[];
  beforeEach(() => {
    calls = [
      ['POST', '/merchant/webhook/rotate-secret', { overlapHours: 'x' }],
      ['POST', '/webhooks/test', {}],
      ['POST', '/webhooks/resend', {}],
    ];
  });

  it('401 without a token (1001), and with the secret of a key but for the resend (1002)', async () => {
    for (const [method, path, body] of calls) {
      expectRefusal(await rest(gateway)(method, path, body), 401, '1001');
      const bySecret = await rest(gateway, shop.secret)(method, path, body);
      if (path === '/webhooks/resend') expectFaults(bySecret, ['event_id']);
      else expectRefusal(bySecret, 401, '1002');
    }
  });

  it('403 without MANAGE_WEBHOOKS, whatever else the token may do (1004)', async () => {
    const clerk = await newMerchant(
      gateway,
      PERMISSIONS.filter((permission) => permission !== 'MANAGE_WEBHOOKS'),
    );
    for (const [method, path, body] of calls) {
      const error = expectRefusal(await clerk.rest(method, path, body), 403, '1004');
      expect(error.message).toBe('Missing permission: MANAGE_WEBHOOKS');
    }
  });
});
