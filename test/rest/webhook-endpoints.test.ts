// The contract of webhook endpoints: POST and GET /webhooks, PUT and DELETE /webhooks/{id}.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PERMISSIONS } from '../../src/values/permission.ts';
import { closeReceivers } from '../dispatch/receivers.ts';
import { receiveWebhooks, status } from '../dispatch/webhook-receiver.ts';
import { newMerchant, rest, USDT_PAYMENT, type Answer, type Json, type TestMerchant } from '../support/clients.ts';
import { dataOf, expectFaults, expectKeys, expectRefusal, id, ISO } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { until } from '../support/until.ts';

let gateway: TestGateway;
let shop: TestMerchant;
let other: TestMerchant;

beforeAll(async () => {
  gateway = await startTestGateway();
  [shop, other] = [await newMerchant(gateway), await newMerchant(gateway)];
});
afterAll(async () => {
  await gateway.stop();
  await closeReceivers();
});

const HOOK = 'https://example.com/hook';
const EVENTS = ['payment.succeeded', 'payment.failed', 'payment.expired', 'payment.refunded'];
const KEYS = [
  ...['id', 'url', 'enabled', 'events', 'description', 'isPrimary', 'disabledReason', 'disabledAt', 'failingSince'],
  'createdAt',
];
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

const create = (fields: object = {}, merchant = shop, headers = {}) =>
  merchant.rest('POST', '/webhooks', { url: HOOK, ...fields }, headers);
const created = async (fields: object = {}, merchant = shop): Promise<Json> =>
  dataOf(await create(fields, merchant), 201);
const update = (one: string, fields: object, merchant = shop) => merchant.rest('PUT', `/webhooks/${one}`, fields);
const remove = (one: string, merchant = shop) => merchant.rest('DELETE', `/webhooks/${one}`);
const list = async (merchant = shop) => {
  const data = dataOf(await merchant.rest('GET', '/webhooks'));
  expectKeys(data, ['items']);
  return data.items as Json[];
};
const withoutSecret = ({ secret: _, ...endpoint }: Json) => endpoint;

/** A payment that is paid: payment.succeeded goes out for it. */
async function pay(merchant: TestMerchant): Promise<void> {
  const { orderId } = dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
  dataOf(await merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`));
}

describe('POST /webhooks', () => {
  describe('201', () => {
    it('answers the endpoint with all that is left out, and the secret of the merchant', async () => {
      const endpoint = await created();
      expectKeys(endpoint, [...KEYS, 'secret']);
      expect(endpoint).toEqual({
        ...{ id: expect.stringMatching(id('whk')), url: HOOK, enabled: true, events: EVENTS, description: null },
        ...{ isPrimary: false, disabledReason: null, disabledAt: null, failingSince: null },
        ...{ createdAt: expect.stringMatching(ISO), secret: expect.stringMatching(SECRET) },
      });
      const configured = dataOf(await shop.rest('PUT', '/merchant/webhook', { url: HOOK }));
      expect(configured.secret).toBe(endpoint.secret);
      expect((await created()).secret).toBe(endpoint.secret);
      expect((await created({}, other)).secret).not.toBe(endpoint.secret);
    });

    it('takes null for what is left out, and keeps what is given', async () => {
      expect(await created({ enabled: null, events: null, description: null })).toMatchObject({
        ...{ enabled: true, events: EVENTS, description: null },
      });
      const given = { enabled: false, events: ['payment.refunded', 'payment.failed'], description: 'Stock é€😀' };
      expect(await created(given)).toMatchObject(given);
    });
  });

  describe('400', () => {
    it.each([
      [{ url: null }, ['url']],
      [{ url: 7 }, ['url']],
      [{ url: '' }, ['url']],
      [{ url: 'example.com/hook' }, ['url']],
      [{ url: 'ftp://example.com/' }, ['url']],
      [{ url: 'https://user:secret@example.com/' }, ['url']],
      [{ url: 'https://example.com/\u0000' }, ['url']],
      [{ enabled: 'true' }, ['enabled']],
      [{ events: [] }, ['events']],
      [{ events: ['payment.succeeded', 'payment.succeeded'] }, ['events']],
      [{ events: ['payment.created'] }, ['events.0']],
      [{ events: ['payment.updated'] }, ['events.0']],
      [{ events: ['webhook.test'] }, ['events.0']],
      [{ events: ['*'] }, ['events.0']],
      [{ events: ['toString'] }, ['events.0']],
      [{ events: ['payment.succeeded', 1] }, ['events.1']],
      [{ events: ['payment.succeeded', null] }, ['events.1']],
      [{ events: {} }, ['events']],
      [{ description: ' ' }, ['description']],
      [{ description: 'x'.repeat(256) }, ['description']],
      [{ description: 'a\u0000b' }, ['description']],
      [{ secret: 'whsec_mine' }, ['secret']],
      [{ events: ['payment.lost', 'payment.failed', 'x\u0000'] }, ['events.0', 'events.2']],
      [{ url: 'nowhere', events: [], description: '', more: 1 }, ['url', 'events', 'description', 'more']],
    ])('%j is refused (2001)', async (fields, paths) => {
      expectFaults(await create(fields), paths);
    });

    it('lists a missing url (2001)', async () => {
      expectFaults(await shop.rest('POST', '/webhooks', {}), ['url']);
    });

    it('a refused port (5001)', async () => {
      expectRefusal(await create({ url: 'https://example.com:25/' }), 400, '5001');
    });

    it('the twenty-first, however many ask at once; PUT /merchant/webhook is not counted, a deleted one neither', async () => {
      const merchant = await newMerchant(gateway);
      dataOf(await merchant.rest('PUT', '/merchant/webhook', { url: HOOK }));
      const answers = await Promise.all(Array.from({ length: 25 }, () => create({}, merchant)));
      const refused = answers.filter((answer) => answer.status !== 201);
      expect(refused).toHaveLength(5);
      for (const answer of refused) expectFaults(answer, ['']);
      expect(await list(merchant)).toHaveLength(21);
      dataOf(await remove((await list(merchant))[0].id as string, merchant));
      await created({}, merchant);
      expectFaults(await create({}, merchant), ['']);
    });
  });

  it('with an Idempotency-Key answers the same again, without the secret, and makes one', async () => {
    const merchant = await newMerchant(gateway);
    const headers = { 'idempotency-key': 'endpoint 1' };
    const first = await create({}, merchant, headers);
    const again = await create({}, merchant, headers);
    expect(dataOf(first, 201).secret).toMatch(SECRET);
    expect(dataOf(again, 201)).toEqual({ ...dataOf(first, 201), secret: null });
    expect([first, again].map((answer) => answer.headers['idempotent-replayed'])).toEqual([undefined, 'true']);
    expectRefusal(await create({ enabled: false }, merchant, headers), 422, '2002');
    expect(await list(merchant)).toHaveLength(1);
    expect(dataOf(await create({}, other, headers), 201).id).not.toBe(dataOf(first, 201).id);
  });
});

describe('GET /webhooks', () => {
  it("answers every endpoint, newest first, the merchant's own among them, without secrets", async () => {
    const merchant = await newMerchant(gateway);
    expect(await list(merchant)).toEqual([]);
    const first = await created({ url: `${HOOK}/1` }, merchant);
    const own = dataOf(await merchant.rest('PUT', '/merchant/webhook', { url: `${HOOK}/own` }));
    const last = await created({ url: `${HOOK}/2` }, merchant);
    const items = await list(merchant);
    for (const item of items) expectKeys(item as object, KEYS);
    expect(items.map((item) => [item.id as string, item.isPrimary as boolean])).toEqual([
      [last.id, false],
      [own.id, true],
      [first.id, false],
    ]);
    expect(items[0]).toEqual(withoutSecret(last));
  });

  it('takes no parameters (2001)', async () => {
    expectFaults(await shop.rest('GET', '/webhooks?limit=5'), ['limit']);
  });
});

describe('PUT /webhooks/{id}', () => {
  it('200 changes only the fields that are sent', async () => {
    const endpoint = withoutSecret(await created({ description: 'a note' }));
    const step = async (fields: object) => dataOf(await update(endpoint.id as string, fields)) as object;
    expect(await step({})).toEqual(endpoint);
    expect(await step({ url: `${HOOK}/b` })).toEqual({ ...endpoint, url: `${HOOK}/b` });
    const moved = { ...endpoint, url: `${HOOK}/b`, events: ['payment.expired'] };
    expect(await step({ events: ['payment.expired'] })).toEqual(moved);
    expect(await step({ enabled: false })).toEqual({ ...moved, enabled: false });
    expect(await step({ url: null, enabled: null, events: null })).toEqual({ ...moved, enabled: false });
    expect(await step({ description: null })).toEqual({ ...moved, enabled: false, description: null });
    expect((await list()).find((item) => item.id === endpoint.id)).toEqual(await step({}));
  });

  it("200 changes the merchant's own endpoint, its subscription too", async () => {
    const merchant = await newMerchant(gateway);
    const own = dataOf(await merchant.rest('PUT', '/merchant/webhook', { url: HOOK }));
    const changed = dataOf(await update(own.id as string, { url: `${HOOK}/x`, events: ['payment.failed'] }, merchant));
    expect(changed).toMatchObject({ id: own.id, isPrimary: true, url: `${HOOK}/x`, events: ['payment.failed'] });
    const { url, events, id: same } = dataOf(await merchant.rest('PUT', '/merchant/webhook', {}));
    expect([url, events, same]).toEqual([`${HOOK}/x`, ['payment.failed'], own.id]);
  });

  it('200 switching on again forgets why it was off, here and by PUT /merchant/webhook', async () => {
    const merchant = await newMerchant(gateway);
    const gone = await receiveWebhooks(status(410));
    const own = dataOf(await merchant.rest('PUT', '/merchant/webhook', { url: gone.url }));
    const second = await created({ url: `${gone.url}/2` }, merchant);
    await pay(merchant);
    const off = await until(async () => {
      const items = await list(merchant);
      return items.every((item) => item.enabled === false) && items;
    });
    for (const item of off) expect(item.disabledReason).toMatch(/410/);
    await gateway.sql('update webhook_endpoint set disabled_at = now(), failing_since = now() where merchant_id = $1', [
      merchant.id,
    ]);
    dataOf(await update(second.id as string, { url: HOOK }, merchant));
    for (const item of await list(merchant))
      expect(item).toMatchObject({ enabled: false, disabledAt: expect.stringMatching(ISO) });
    dataOf(await update(second.id as string, { enabled: true }, merchant));
    dataOf(await merchant.rest('PUT', '/merchant/webhook', { enabled: true }));
    for (const item of await list(merchant))
      expect(item).toMatchObject({ enabled: true, disabledReason: null, disabledAt: null, failingSince: null });
    expect(own.enabled).toBe(true);
  });

  it.each([
    [{ url: 'nowhere' }, ['url']],
    [{ enabled: 1 }, ['enabled']],
    [{ events: [] }, ['events']],
    [{ events: ['webhook.test'] }, ['events.0']],
    [{ description: '' }, ['description']],
    [{ id: 'whk_1', isPrimary: true }, ['id', 'isPrimary']],
  ])('400 for %j (2001)', async (fields, paths) => {
    const endpoint = await created();
    expectFaults(await update(endpoint.id as string, fields), paths);
    expectRefusal(await update(endpoint.id as string, { url: 'http://example.com:22/' }), 400, '5001');
    dataOf(await remove(endpoint.id as string));
  });
});

describe('DELETE /webhooks/{id}', () => {
  it('200 answers the endpoint as it was, switched off, and it is in no list any more', async () => {
    const endpoint = withoutSecret(await created());
    expect(dataOf(await remove(endpoint.id as string))).toEqual({ ...endpoint, enabled: false });
    expect((await list()).map((item) => item.id as string)).not.toContain(endpoint.id);
  });

  it('what waits for it is given up, its history stays to be read, and nothing is made for it any more', async () => {
    const merchant = await newMerchant(gateway);
    const busy = await receiveWebhooks(status(503));
    const own = dataOf(await merchant.rest('PUT', '/merchant/webhook', { url: busy.url }));
    await pay(merchant);
    const eventId = await until(() => busy.received[0]?.headers['x-pgw-event-id'] as string | undefined);
    const read = async () => dataOf(await merchant.rest('GET', `/webhooks/deliveries/${eventId}`));
    await until(async () => (await read()).status === 'RETRYING');
    dataOf(await remove(own.id as string, merchant));
    const record = await read();
    expect(record).toMatchObject({ status: 'DISABLED', url: busy.url, attempts: 1, next_retry_at: null });
    expect(record.deliveries[0].attempt_log).toHaveLength(1);
    const fresh = await receiveWebhooks();
    // A new one of PUT /merchant/webhook is another endpoint, and needs a URL like the first.
    expectFaults(await merchant.rest('PUT', '/merchant/webhook', { enabled: true }), ['url']);
    const next = dataOf(await merchant.rest('PUT', '/merchant/webhook', { url: fresh.url }));
    expect(next.id).not.toBe(own.id);
    await pay(merchant);
    await until(() => fresh.received.length === 1);
    expect(busy.received).toHaveLength(1);
    expect((await list(merchant)).map((item) => item.id as string)).toEqual([next.id]);
  });
});

describe('the endpoints that are on', () => {
  it('get the types they are subscribed to, each its own delivery of the same event', async () => {
    const merchant = await newMerchant(gateway);
    const hooks = [await receiveWebhooks(), await receiveWebhooks(), await receiveWebhooks()] as const;
    await created({ url: hooks[0].url, events: ['payment.succeeded'] }, merchant);
    await created({ url: hooks[1].url }, merchant);
    await created({ url: hooks[2].url, events: ['payment.failed'] }, merchant);
    const off = await created({ url: `${hooks[2].url}/off`, enabled: false }, merchant);
    await pay(merchant);
    await until(() => hooks[0].received.length === 1 && hooks[1].received.length === 1);
    const [a, b] = [hooks[0].received[0], hooks[1].received[0]];
    expect(a?.headers['x-pgw-event-id']).toBe(b?.headers['x-pgw-event-id']);
    expect(a?.headers['x-pgw-delivery-id']).not.toBe(b?.headers['x-pgw-delivery-id']);
    expect(a?.body.equals(b?.body ?? Buffer.alloc(0))).toBe(true);
    expect(hooks[2].received).toEqual([]);
    expect(off.enabled).toBe(false);
  });
});

it('every change names in the audit log who made it, and holds no path of a URL', async () => {
  const merchant = await newMerchant(gateway);
  const endpoint = await created({ url: `${HOOK}?key=of-the-shop` }, merchant);
  dataOf(await update(endpoint.id as string, { enabled: false }, merchant));
  dataOf(await merchant.rest('POST', '/merchant/webhook/rotate-secret', { overlapHours: 2 }));
  dataOf(await remove(endpoint.id as string, merchant));
  const rows = await gateway.sql(
    'select action, actor, target, details from audit_log where merchant_id = $1 order by id',
    [merchant.id],
  );
  const { keyId: actor } = merchant;
  expect(rows).toEqual([
    { action: 'WEBHOOK_CREATED', actor, target: endpoint.id, details: { host: 'example.com' } },
    { action: 'WEBHOOK_CHANGED', actor, target: endpoint.id, details: { enabled: false } },
    { action: 'WEBHOOK_SECRET_ROTATED', actor, target: null, details: { overlapHours: 2 } },
    { action: 'WEBHOOK_DELETED', actor, target: endpoint.id, details: {} },
  ]);
});

describe('404 (2004)', () => {
  const both = (one: string, merchant = shop): Promise<Answer>[] => [update(one, {}, merchant), remove(one, merchant)];

  it.each(['0', 'whk_', 'evt_00000000000000000000000000000000', 'whk_0000000000000000000000000000000O', '%00'])(
    'for the ill-formed id %s',
    async (ill) => {
      for (const answer of both(ill)) expectRefusal(await answer, 404, '2004');
    },
  );

  it("for another merchant's, byte for byte like one that never existed, and it stays", async () => {
    const theirs = (await created({}, other)).id as string;
    const headers = { 'x-request-id': 'the-same' };
    for (const [method, body] of [['PUT', { enabled: false }], ['DELETE']] as const) {
      const call = (one: string) => shop.rest(method, `/webhooks/${one}`, body, headers);
      const [foreign, missing] = [await call(theirs), await call(`${theirs.slice(0, -4)}0000`)];
      expectRefusal(foreign, 404, '2004');
      expect(foreign.text).toBe(missing.text);
    }
    expect((await list(other)).find((item) => item.id === theirs)).toMatchObject({ enabled: true });
  });

  it('for one that was deleted before', async () => {
    const endpoint = await created();
    dataOf(await remove(endpoint.id as string));
    for (const answer of both(endpoint.id as string)) expectRefusal(await answer, 404, '2004');
  });
});

describe('without the right to', () => {
  let calls: readonly (readonly [method: string, path: string, body?: unknown])[];
  beforeEach(() => {
    const one = '/webhooks/whk_00000000000000000000000000000000';
    calls = [
      ['POST', '/webhooks', {}],
      ['GET', '/webhooks'],
      ['PUT', one, { url: 7 }],
      ['DELETE', one],
    ];
  });

  it('401 without a token (1001), and with the secret of a key (1002)', async () => {
    for (const [method, path, body] of calls) {
      expectRefusal(await rest(gateway)(method, path, body), 401, '1001');
      expectRefusal(await rest(gateway, shop.secret)(method, path, body), 401, '1002');
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
