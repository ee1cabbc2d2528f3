// DELETE /webhooks/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { created, gateway, list, pay, remove, withoutSecret } from '../fixtures/webhooks/endpoints.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf, expectFaults } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';
import { receiveWebhooks, status } from '../../dispatch/webhook-receiver.fixture.ts';

describe('DELETE /webhooks/{id}: 200', () => {
  it('answers the endpoint as it was, switched off, and it is in no list any more', async () => {
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
    // After the deletion PUT /merchant/webhook makes a new endpoint, which needs a URL like the first.
    expectFaults(await merchant.rest('PUT', '/merchant/webhook', { enabled: true }), ['url']);
    const next = dataOf(await merchant.rest('PUT', '/merchant/webhook', { url: fresh.url }));
    expect(next.id).not.toBe(own.id);
    await pay(merchant);
    await until(() => fresh.received.length === 1);
    expect(busy.received).toHaveLength(1);
    expect((await list(merchant)).map((item) => item.id as string)).toEqual([next.id]);
  });
});
