// PUT /webhooks/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import {
  created,
  gateway,
  HOOK,
  list,
  pay,
  remove,
  update,
  withoutSecret,
} from '../fixtures/webhooks/endpoints.fixture.ts';
import { until } from '../../support/until.ts';
import { dataOf, ISO } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';
import { receiveWebhooks, status } from '../../dispatch/webhook-receiver.fixture.ts';

describe('PUT /webhooks/{id}: 200', () => {
  it('changes only the fields that are sent', async () => {
    const endpoint = withoutSecret(await created({ description: 'a note' }));
    const step = async (fields: object) => dataOf(await update(endpoint.id as string, fields)) as object;
    expect(await step({})).toEqual(endpoint);
    expect(await step({ url: `${HOOK}/b` })).toEqual({ ...endpoint, url: `${HOOK}/b` });
    const moved = { ...endpoint, url: `${HOOK}/b`, events: ['payment.expired'] };
    expect(await step({ events: ['payment.expired'] })).toEqual(moved);
    expect(await step({ enabled: false })).toEqual({ ...moved, enabled: false });
    expect(await step({ description: null })).toEqual({ ...moved, enabled: false, description: null });
    expect((await list()).find((item) => item.id === endpoint.id)).toEqual(await step({}));
  });

  it("changes the merchant's own endpoint, its subscription too", async () => {
    const merchant = await newMerchant(gateway);
    const own = dataOf(await merchant.rest('PUT', '/merchant/webhook', { url: HOOK }));
    const changed = dataOf(await update(own.id as string, { url: `${HOOK}/x`, events: ['payment.failed'] }, merchant));
    expect(changed).toMatchObject({ id: own.id, isPrimary: true, url: `${HOOK}/x`, events: ['payment.failed'] });
    const { url, events, id: same } = dataOf(await merchant.rest('PUT', '/merchant/webhook', {}));
    expect([url, events, same]).toEqual([`${HOOK}/x`, ['payment.failed'], own.id]);
  });

  it('switching on again forgets why it was off, here and by PUT /merchant/webhook', async () => {
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
});
