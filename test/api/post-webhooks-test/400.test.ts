// POST /webhooks/test: the calls that are answered with 400.

import { describe, expect, it } from '@jest/globals';
import { gateway, sendTest, shop } from '../fixtures/webhooks/calls.fixture.ts';
import { dataOf, expectFaults, expectRefusal } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';

describe('POST /webhooks/test: 400', () => {
  it('without a URL when the endpoint is missing, disabled or deleted (2001)', async () => {
    const merchant = await newMerchant(gateway);
    expectFaults(await sendTest(merchant), ['url']);
    dataOf(await merchant.rest('POST', '/webhooks', { url: 'https://example.com/' }), 201);
    expectFaults(await sendTest(merchant), ['url']);
    const own = dataOf(
      await merchant.rest('PUT', '/merchant/webhook', { url: 'https://example.com/', enabled: false }),
    );
    expectFaults(await sendTest(merchant, { url: null }), ['url']);
    dataOf(await merchant.rest('DELETE', `/webhooks/${own.id}`));
    expectFaults(await sendTest(merchant), ['url']);
    expect(await gateway.sql('select 1 from event where merchant_id = $1', [merchant.id])).toEqual([]);
  });

  it.each([
    [{ url: 'nowhere' }, ['url']],
    [{ url: 'https://a:b@example.com/' }, ['url']],
    [{ url: 7 }, ['url']],
    [{ type: 'payment.failed' }, ['type']],
  ])('for %j (2001)', async (fields, paths) => {
    expectFaults(await sendTest(shop, fields), paths);
  });

  it('for a refused port (5001)', async () => {
    expectRefusal(await sendTest(shop, { url: 'https://example.com:25/' }), 400, '5001');
  });
});
