// The contract of the webhook calls: PUT /merchant/webhook and GET /webhooks/deliveries/{event_id}.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newMerchant, rest, USDT_PAYMENT, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal, id, ISO } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let gateway: TestGateway;
let shop: TestMerchant;
let receiver: Server;
let receiverUrl: string;
const received: { url: string; eventId: string }[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  shop = await newMerchant(gateway);
  receiver = createServer((request, response) => {
    received.push({ url: request.url ?? '', eventId: String(request.headers['x-pgw-event-id']) });
    request.resume();
    response.writeHead(request.url === '/busy' ? 503 : 200, { connection: 'close' }).end('{"status":"ok"}');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await gateway.stop();
  await new Promise((resolve) => receiver.close(resolve));
});

const configure = (body: unknown, merchant = shop) => merchant.rest('PUT', '/merchant/webhook', body);
const EVENTS = ['payment.succeeded', 'payment.failed', 'payment.expired', 'payment.refunded'];

describe('PUT /merchant/webhook', () => {
  describe('200', () => {
    it('answers the endpoint and the secret that signs its webhooks', async () => {
      const answer = await configure({ url: 'https://example.com/hook', enabled: true });
      const data = dataOf(answer);
      expectKeys(answer.body, ['success', 'data']);
      expect(data).toEqual({
        id: expect.stringMatching(id('whk')),
        url: 'https://example.com/hook',
        enabled: true,
        events: EVENTS,
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      });
    });

    it('changes only the fields that are sent', async () => {
      const first = dataOf(await configure({ url: 'https://example.com/a' }));
      const off = dataOf(await configure({ enabled: false }));
      expect(off).toEqual({ ...first, enabled: false });
      expect(dataOf(await configure({ url: 'https://example.com/b' }))).toEqual({
        ...off,
        url: 'https://example.com/b',
      });
      expect(dataOf(await configure({}))).toEqual({ ...off, url: 'https://example.com/b' });
    });

    it('takes the secret of a key as the bearer', async () => {
      const merchant = await newMerchant(gateway);
      const bySecret = rest(gateway, merchant.secret);
      expect(dataOf(await bySecret('PUT', '/merchant/webhook', { url: receiverUrl })).url).toBe(receiverUrl);
    });

    it('every merchant has a secret of his own', async () => {
      const other = await newMerchant(gateway);
      const secrets = [shop, other].map(
        async (merchant) => dataOf(await configure({ url: receiverUrl }, merchant)).secret,
      );
      expect(new Set(await Promise.all(secrets)).size).toBe(2);
    });
  });

  describe('400', () => {
    it('the first time a URL is required (2001)', async () => {
      expectFaults(await configure({ enabled: true }, await newMerchant(gateway)), ['url']);
    });

    it.each([
      ['url', 'example.com/hook'],
      ['url', 'ftp://example.com/'],
      ['url', 'https://user:secret@example.com/'],
      ['url', 'https://example.com/\u0000'],
      ['url', 7],
      ['enabled', 'true'],
      ['secret', 'whsec_mine'],
      ['events', ['payment.succeeded']],
    ])('%s may not be %j (2001)', async (field, value) => {
      expectFaults(await configure({ url: receiverUrl, [field]: value }), [field]);
    });
  });

  it('403 for the secret of a key without the permission (1004)', async () => {
    const merchant = await newMerchant(gateway, ['READ_PAYMENTS']);
    expectRefusal(await rest(gateway, merchant.secret)('PUT', '/merchant/webhook', {}), 403, '1004');
  });
});

describe('GET /webhooks/deliveries/{event_id}', () => {
  const RECORD = [
    ...['event_id', 'delivery_id', 'url', 'status', 'attempts', 'last_attempt_at', 'next_retry_at'],
    ...['response_code', 'response_time_ms'],
  ];
  const ATTEMPT = ['attempt', 'at', 'url', 'response_code', 'response_time_ms', 'response_start', 'error'];

  /** Pays an order and answers the id of the event that the receiver got at `path` for it. */
  async function payAndReceive(merchant: TestMerchant, path: string, fields: object = {}): Promise<string> {
    const before = received.length;
    const { orderId } = dataOf(await merchant.rest('POST', '/payments', { ...USDT_PAYMENT, ...fields }), 201);
    dataOf(await merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`));
    const { eventId } = await until(() => received.slice(before).find(({ url }) => url === path));
    return eventId;
  }

  it('200 answers the record of a delivery that succeeded, with every attempt', async () => {
    const merchant = await newMerchant(gateway);
    dataOf(await configure({ url: `${receiverUrl}/fine` }, merchant));
    const eventId = await payAndReceive(merchant, '/fine');
    const record = await until(async () => {
      const seen = dataOf(await merchant.rest('GET', `/webhooks/deliveries/${eventId}`));
      return seen.status === 'SUCCESS' && seen;
    });
    expectKeys(record, [...RECORD, 'deliveries']);
    const delivery = {
      event_id: eventId,
      delivery_id: expect.stringMatching(id('dlv')),
      url: `${receiverUrl}/fine`,
      status: 'SUCCESS',
      attempts: 1,
      last_attempt_at: expect.stringMatching(ISO),
      next_retry_at: null,
      response_code: 200,
      response_time_ms: expect.any(Number),
    };
    const attempt = { attempt: 1, at: expect.stringMatching(ISO), url: `${receiverUrl}/fine`, response_code: 200 };
    const answered = { response_time_ms: expect.any(Number), response_start: '{"status":"ok"}', error: null };
    expect(record).toEqual({
      ...delivery,
      deliveries: [{ ...delivery, attempt_log: [{ ...attempt, ...answered }] }],
    });
  });

  it('200 has one delivery for each destination, and says when the next retry is due', async () => {
    const merchant = await newMerchant(gateway);
    dataOf(await configure({ url: `${receiverUrl}/busy` }, merchant));
    const eventId = await payAndReceive(merchant, '/busy', { callbackUrl: `${receiverUrl}/callback` });
    const record = await until(async () => {
      const seen = dataOf(await merchant.rest('GET', `/webhooks/deliveries/${eventId}`));
      return seen.status === 'RETRYING' && seen;
    });
    expect(record).toMatchObject({ url: `${receiverUrl}/busy`, attempts: 1, response_code: 503 });
    const wait = Date.parse(record.next_retry_at as string) - Date.parse(record.last_attempt_at as string);
    expect(wait).toBeGreaterThan(47_000);
    expect(wait).toBeLessThan(75_000);
    const urls = (record.deliveries as { url: string }[]).map(({ url }) => url);
    expect(urls.sort()).toEqual([`${receiverUrl}/busy`, `${receiverUrl}/callback`]);
    for (const { attempt_log: attempts, ...delivery } of record.deliveries) {
      expectKeys(delivery as object, RECORD);
      for (const attempt of attempts) expectKeys(attempt as object, ATTEMPT);
    }
  });

  it("404 for another merchant's event, byte for byte like one that never existed (2004)", async () => {
    const merchant = await newMerchant(gateway);
    dataOf(await configure({ url: `${receiverUrl}/theirs` }, merchant));
    const theirs = await payAndReceive(merchant, '/theirs');
    const headers = { 'x-request-id': 'the-same' };
    const foreign = await shop.rest('GET', `/webhooks/deliveries/${theirs}`, undefined, headers);
    const missing = await shop.rest('GET', `/webhooks/deliveries/${theirs.slice(0, -4)}0000`, undefined, headers);
    expectRefusal(foreign, 404, '2004');
    expect(foreign.text).toBe(missing.text);
    dataOf(await merchant.rest('GET', `/webhooks/deliveries/${theirs}`));
  });

  it.each(['0', 'evt_', '%00', '%', 'ord_00000000000000000000000000000000'])(
    '404 for the id %s (2004)',
    async (ill) => {
      expectRefusal(await shop.rest('GET', `/webhooks/deliveries/${ill}`), 404, '2004');
    },
  );
});
