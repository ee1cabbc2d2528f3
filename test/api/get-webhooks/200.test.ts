// GET /webhooks: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { created, gateway, HOOK, KEYS, list, withoutSecret } from '../fixtures/webhooks/endpoints.fixture.ts';
import { dataOf, expectKeys } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';

describe('GET /webhooks: 200', () => {
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
});
