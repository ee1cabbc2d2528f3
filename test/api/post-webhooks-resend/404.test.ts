// POST /webhooks/resend: the calls that are answered with 404.

import { describe, expect, it } from '@jest/globals';
import { gateway, hooked, resend, shop, tested } from '../fixtures/webhooks/calls.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { USDT_PAYMENT } from '../../support/clients.ts';
import { receiveWebhooks } from '../../dispatch/webhook-receiver.fixture.ts';
import { newId } from '../../../src/values/id.ts';

describe('POST /webhooks/resend: 404', () => {
  it("for ill-formed ids, unknown ones, events that are not sent, and another merchant's (2004)", async () => {
    const hook = await receiveWebhooks();
    const theirs = await hooked(hook.url);
    const eventId = await tested(theirs);
    const { orderId } = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
    const [silent] = await gateway.sql<{ id: string }>('select id from event where payment_id = $1', [orderId]);
    const headers = { 'x-request-id': 'the-same' };
    const texts = new Set<string>();
    for (const one of ['evt_', '7', "'; --", newId('evt'), silent?.id, eventId]) {
      const answer = await resend(shop, one, headers);
      expectRefusal(answer, 404, '2004');
      texts.add(answer.text);
    }
    expect(texts.size).toBe(1);
    await until(() => hook.received.length === 1);
  });
});
