// POST /webhooks: the calls that are answered with 201.

import { describe, expect, it } from '@jest/globals';
import {
  create,
  created,
  EVENTS,
  gateway,
  HOOK,
  KEYS,
  list,
  other,
  pay,
  SECRET,
  shop,
} from '../fixtures/webhooks/endpoints.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf, expectKeys, expectRefusal, id, ISO } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';
import { receiveWebhooks } from '../../dispatch/webhook-receiver.fixture.ts';

describe('POST /webhooks: 201', () => {
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
});
