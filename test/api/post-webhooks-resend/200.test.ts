// POST /webhooks/resend: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { gateway, hooked, recordOf, resend, settled, tested } from '../fixtures/webhooks/calls.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { type Json, rest, USDT_PAYMENT } from '../../support/clients.ts';
import { receiveWebhooks, status } from '../../dispatch/webhook-receiver.fixture.ts';

describe('POST /webhooks/resend: 200', () => {
  it('makes a new delivery of the same event, with the same body', async () => {
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

  it('goes to the destinations as they are now: new endpoints and the callbackUrl, none that are off', async () => {
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

  it('as often as it is asked for, at once too: each makes its own delivery', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const eventId = await tested(merchant);
    await settled(merchant, eventId, 'SUCCESS');
    for (const answer of await Promise.all(Array.from({ length: 6 }, () => resend(merchant, eventId)))) dataOf(answer);
    await until(() => hook.received.length === 7);
    expect(new Set(hook.received.map(({ headers }) => headers['x-pgw-delivery-id'])).size).toBe(7);
    expect((await settled(merchant, eventId, 'SUCCESS')).deliveries).toHaveLength(7);
  });

  it('takes the secret of a key as the bearer', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const eventId = await tested(merchant);
    await settled(merchant, eventId, 'SUCCESS');
    dataOf(await rest(gateway, merchant.secret)('POST', '/webhooks/resend', { event_id: eventId }));
    await until(() => hook.received.length === 2);
  });

  it('for a test event with a URL goes there again, and nowhere else', async () => {
    const [hook, target] = [await receiveWebhooks(), await receiveWebhooks()];
    const merchant = await hooked(hook.url);
    const eventId = await tested(merchant, { url: target.url });
    await until(() => target.received.length === 1);
    dataOf(await resend(merchant, eventId));
    await until(() => target.received.length === 2);
    expect(hook.received).toEqual([]);
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
