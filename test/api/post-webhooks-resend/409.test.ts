// POST /webhooks/resend: the calls that are answered with 409.

import { describe, it } from '@jest/globals';
import { gateway, hooked, resend, settled } from '../fixtures/webhooks/calls.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { USDT_PAYMENT } from '../../support/clients.ts';
import { receiveWebhooks } from '../../dispatch/webhook-receiver.fixture.ts';

describe('POST /webhooks/resend: 409', () => {
  it('for an event that was erased with its customer (2014)', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const { orderId } = dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
    dataOf(await merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`));
    const eventId = String((await until(() => hook.received[0])).headers['x-pgw-event-id']);
    await settled(merchant, eventId, 'SUCCESS');
    await gateway.sql('update event set body = null, erased = true where id = $1', [eventId]);
    expectRefusal(await resend(merchant, eventId), 409, '2014');
  });
});
