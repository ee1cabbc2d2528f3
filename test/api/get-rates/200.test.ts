// GET /rates: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { gateway, KEYS, rateOf, ratesIn, shop } from '../fixtures/rates.fixture.ts';
import { graphql } from '../../support/clients.ts';
import { dataOf, expectKeys } from '../../support/expectations.ts';

describe('GET /rates: 200', () => {
  it('answers each coin that is taken here once, in any case of the currency', async () => {
    const items = await ratesIn('eur');
    for (const item of items) expectKeys(item as object, KEYS);
    expect(items.map(({ asset }) => asset).sort()).toEqual(['ETH', 'USDC', 'USDT']);
    expect(items).toContainEqual({
      ...{ asset: 'ETH', currency: 'EUR', rate: '2777.777777777778', quotedRate: '2777.777777777778' },
      ...{ at: expect.any(String), sources: ['sandbox'], state: 'FRESH' },
    });
  });

  it('a code in itself is exactly 1, without a source', async () => {
    dataOf(await shop.rest('PUT', '/merchant/settings', { rateSpread: 100 }));
    expect(await rateOf('USDT', 'USDT')).toMatchObject({ rate: '1', quotedRate: '1', sources: [], state: 'FRESH' });
  });

  it("takes the merchant's spread off, or adds what is below zero", async () => {
    dataOf(await shop.rest('PUT', '/merchant/settings', { rateSpread: 100 }));
    expect(await rateOf('ETH', 'USD')).toMatchObject({ rate: '3000', quotedRate: '2970' });
    dataOf(await shop.rest('PUT', '/merchant/settings', { rateSpread: -1_000 }));
    expect(await rateOf('ETH', 'USD')).toMatchObject({ rate: '3000', quotedRate: '3300' });
  });

  it('a fixed rate replaces market and spread, also for a currency that nothing else quotes', async () => {
    const fixedRates = [{ asset: 'usdt', currency: 'isk', rate: '137.500' }];
    dataOf(await shop.rest('PUT', '/merchant/settings', { rateSpread: 100, fixedRates }));
    expect(await rateOf('USDT', 'ISK')).toEqual({
      ...{ asset: 'USDT', currency: 'ISK', rate: '137.5', quotedRate: '137.5', at: null },
      ...{ sources: ['fixed'], state: 'FIXED' },
    });
    expect(await rateOf('ETH', 'ISK')).toEqual({
      ...{ asset: 'ETH', currency: 'ISK', rate: null, quotedRate: null, at: null, sources: [], state: 'NONE' },
    });
  });

  it('is the query of the same name', async () => {
    const query = `{ rates(currency: "GBP") { ${KEYS.join(' ')} } }`;
    const { body } = await graphql(gateway, shop.token)(query);
    const withoutTime = (rates: object[]) => rates.map((rate) => ({ ...rate, at: null }));
    expect(withoutTime(body.data.rates as object[])).toEqual(withoutTime(await ratesIn('GBP')));
  });
});
