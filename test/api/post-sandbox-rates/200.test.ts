// POST /sandbox/rates: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { gateway, KEYS, move, rateOf, shop } from '../fixtures/rates.fixture.ts';
import { newMerchant } from '../../support/clients.ts';
import { dataOf, expectKeys } from '../../support/expectations.ts';

describe('POST /sandbox/rates: 200', () => {
  it('moves a price, and back, for this merchant alone', async () => {
    const moved = dataOf(await move({ code: 'eth', usd: '2850.0' }));
    expectKeys(moved, KEYS);
    expect(moved).toMatchObject({ asset: 'ETH', currency: 'USD', rate: '2850', state: 'FRESH', sources: ['sandbox'] });
    expect(await rateOf('ETH', 'JPY')).toMatchObject({ rate: '438461.538461538462' });
    const other = await newMerchant(gateway);
    expect(await rateOf('ETH', 'JPY', other)).toMatchObject({ rate: '461538.461538461538' });
    expect(dataOf(await move({ code: 'ETH' }))).toMatchObject({ rate: '3000' });
  });

  it('null takes a price away, and nothing is quoted by it', async () => {
    expect(dataOf(await move({ code: 'EUR', usd: null }))).toMatchObject({ rate: null, state: 'NONE', sources: [] });
    expect(await rateOf('ETH', 'EUR')).toMatchObject({ rate: null, quotedRate: null, at: null, state: 'NONE' });
    expect(await rateOf('ETH', 'GBP')).toMatchObject({ state: 'FRESH' });
  });

  it.each([
    ['999999999999999999', '0.000000000000000001'],
    ['0.000000000000000001', '999999999999999999'],
  ])('a rate of %s over %s that fits nowhere, or is nothing, is none', async (ofCoin, ofCurrency) => {
    dataOf(await move({ code: 'ETH', usd: ofCoin }));
    dataOf(await move({ code: 'EUR', usd: ofCurrency }));
    expect(await rateOf('ETH', 'EUR')).toMatchObject({ rate: null, state: 'NONE' });
    const { invoiceId } = dataOf(await shop.rest('POST', '/invoices', { amount: '20', currency: 'EUR' }), 201);
    const { options } = dataOf(await shop.rest('GET', `/checkout/invoices/${invoiceId}`));
    expect(options).toContainEqual(expect.objectContaining({ currency: 'ETH', state: 'NO_RATE' }));
  });
});
