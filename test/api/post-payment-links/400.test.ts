// POST /payment-links: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { dataOf, expectFaults, expectRefusal } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';
import { create, gateway } from '../fixtures/links.fixture.ts';

const USDT = { currency: 'USDT', network: 'ETH' };

describe('POST /payment-links: 400', () => {
  it.each([
    ['name', { name: null }],
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(256) }],
    ['description', { description: 'x'.repeat(256) }],
    ['amount', { amount: '0' }],
    ['amount', { amount: '1.001' }],
    ['amount', { amount: 20 }],
    ['currency', { currency: 'XAU' }],
    ['minAmount', { amount: null, minAmount: '1.001' }],
    ['maxAmount', { amount: null, maxAmount: '1.1', currency: 'JPY' }],
    ['maxAmount', { amount: null, minAmount: '2', maxAmount: '1.99' }],
    ['minAmount', { minAmount: '1' }],
    ['maxAmount', { maxAmount: '1' }],
    ['acceptedAssets', { acceptedAssets: [] }],
    ['acceptedAssets.1', { acceptedAssets: [USDT, { currency: 'usdt', network: 'erc20' }] }],
    ['requiredFields', { requiredFields: ['EMAIL', 'EMAIL'] }],
    ['requiredFields.0', { requiredFields: ['AGE'] }],
    ['optionalFields.1', { requiredFields: ['EMAIL'], optionalFields: ['NOTE', 'EMAIL'] }],
    ['maxUses', { maxUses: 0 }],
    ['endsAt', { endsAt: 'tomorrow' }],
    ['enabled', { enabled: 'yes' }],
    ['returnUrl', { returnUrl: 'shop' }],
    ['callbackUrl', { callbackUrl: 'shop' }],
    ['metadata.a', { metadata: { a: 1 } }],
    ['expirationMinutes', { expirationMinutes: 4 }],
    ['uses', { uses: 1 }],
  ])('names %s: %j (2001)', async (path, fields) => {
    expectFaults(await create(fields), [path]);
  });

  it('an asset outside the settings is told by its place (2001), one that there is not is 3001', async () => {
    const narrow = await newMerchant(gateway);
    dataOf(await narrow.rest('PUT', '/merchant/settings', { acceptedAssets: [USDT] }));
    const eth = { currency: 'ETH', network: 'ETH' };
    expectFaults(await create({ acceptedAssets: [USDT, eth] }, narrow), ['acceptedAssets.1']);
    expectRefusal(await create({ acceptedAssets: [{ currency: 'DOGE', network: 'ETH' }] }), 400, '3001');
  });

  it('more than twelve digits before the point are 3003', async () => {
    for (const fields of [{ amount: '1000000000000' }, { amount: null, maxAmount: '1000000000000' }])
      expectRefusal(await create(fields), 400, '3003');
  });

  it('a currency that nothing here quotes is 3008', async () => {
    expectRefusal(await create({ currency: 'XOF' }), 400, '3008');
  });

  it('a URL that webhooks may not be sent to is 5001', async () => {
    expectRefusal(await create({ callbackUrl: 'https://example.com:25/' }), 400, '5001');
  });
});
