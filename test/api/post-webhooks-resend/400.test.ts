// POST /webhooks/resend: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { hooked, resend, settled, shop, tested } from '../fixtures/webhooks/calls.fixture.ts';
import { dataOf, expectFaults } from '../../support/expectations.ts';
import { receiveWebhooks } from '../../dispatch/webhook-receiver.fixture.ts';

describe('POST /webhooks/resend: 400', () => {
  it('where the event has nowhere to go any more (2001)', async () => {
    const hook = await receiveWebhooks();
    const merchant = await hooked(hook.url);
    const eventId = await tested(merchant);
    await settled(merchant, eventId, 'SUCCESS');
    dataOf(await merchant.rest('PUT', '/merchant/webhook', { enabled: false }));
    expectFaults(await resend(merchant, eventId), ['']);
    dataOf(await merchant.rest('PUT', '/merchant/webhook', { enabled: true }));
    dataOf(await resend(merchant, eventId));
  });

  it('without an event_id that is a text, or with an unknown field (2001)', async () => {
    expectFaults(await shop.rest('POST', '/webhooks/resend', {}), ['event_id']);
    expectFaults(await shop.rest('POST', '/webhooks/resend', { event_id: null }), ['event_id']);
    expectFaults(await shop.rest('POST', '/webhooks/resend', { event_id: 5 }), ['event_id']);
    const both = { event_id: 'evt_1', eventId: 'evt_1' };
    expectFaults(await shop.rest('POST', '/webhooks/resend', both), ['eventId']);
  });
});
