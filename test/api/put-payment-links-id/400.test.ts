// PUT /payment-links/{id}: the calls that are answered with 400.

import { describe, expect, it } from '@jest/globals';
import { expectFaults, expectRefusal } from '../../support/expectations.ts';
import { change, open, openEnded, read } from '../fixtures/links.fixture.ts';

describe('PUT /payment-links/{id}: 400', () => {
  it.each([
    ['name', { name: null }],
    ['enabled', { enabled: null }],
    ['requiredFields', { requiredFields: null }],
    ['amount', { amount: '5' }],
    ['currency', { currency: 'EUR' }],
    ['minAmount', { minAmount: '5' }],
    ['maxUses', { maxUses: 0 }],
    ['endsAt', { endsAt: 'never' }],
  ])('names %s: %j (2001), and changes nothing', async (path, fields) => {
    const id = await open();
    const before = await read(id);
    expectFaults(await change(id, fields), [path]);
    expect(await read(id)).toEqual(before);
  });

  it('what contradicts the rest of an open link is 2001', async () => {
    const id = await openEnded({ minAmount: '5', optionalFields: ['NOTE'] });
    expectFaults(await change(id, { maxAmount: '4' }), ['maxAmount']);
    expectFaults(await change(id, { minAmount: '5.001' }), ['minAmount']);
    expectFaults(await change(id, { requiredFields: ['NOTE'] }), ['optionalFields.0']);
  });

  it('an asset that does not exist is 3001, a bound that is too large 3003, a refused URL 5001', async () => {
    const id = await openEnded();
    expectRefusal(await change(id, { acceptedAssets: [{ currency: 'DOGE', network: 'ETH' }] }), 400, '3001');
    expectRefusal(await change(id, { maxAmount: '1000000000000' }), 400, '3003');
    expectRefusal(await change(id, { callbackUrl: 'https://example.com:25/' }), 400, '5001');
  });
});
