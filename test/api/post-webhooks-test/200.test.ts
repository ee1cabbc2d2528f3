// POST /webhooks/test: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { expectSigned, gateway, hooked, sendTest, settled, tested } from '../fixtures/webhooks/calls.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf, expectKeys, expectRefusal, id, ISO } from '../../support/expectations.ts';
import { type Json, newMerchant } from '../../support/clients.ts';
import { receiveWebhooks, status } from '../../dispatch/webhook-receiver.fixture.ts';

describe('POST /webhooks/test: 200', () => {
  it("goes to the merchant's own endpoint, whatever it is subscribed to, as an ordinary event", async () => {
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

  it('with a URL goes there only, and once where that is the URL of an endpoint', async () => {
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

  it('with a URL needs no endpoint, and is retried like any other', async () => {
    const merchant = await newMerchant(gateway);
    const busy = await receiveWebhooks(status(503));
    const eventId = await tested(merchant, { url: busy.url });
    const record = await settled(merchant, eventId, 'RETRYING');
    expect(record).toMatchObject({ event_id: eventId, url: busy.url, attempts: 1, response_code: 503 });
    expect(record.next_retry_at).toMatch(ISO);
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
