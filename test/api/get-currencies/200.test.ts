// GET /currencies: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { gateway, KEYS } from '../fixtures/currencies.fixture.ts';
import { dataOf, expectFaults, expectKeys } from '../../support/expectations.ts';
import { graphql, type Json, newMerchant, rest } from '../../support/clients.ts';
import { ASSETS } from '../../../src/values/assets.ts';

describe('GET /currencies: 200', () => {
  it('answers every pair to anybody, and which of them are taken here', async () => {
    const { items } = dataOf(await rest(gateway)('GET', '/currencies'));
    expect(items).toHaveLength(ASSETS.length);
    for (const item of items as object[]) expectKeys(item, KEYS);
    const pair = (currency: string, network: string): Json =>
      (items as Json[]).find((item) => item.currency === currency && item.network === network);
    expect(pair('ETH', 'ETH')).toEqual({
      ...{ currency: 'ETH', network: 'ETH', name: 'Ethereum', decimals: 18, contract: null },
      ...{ minAmount: '0.0001', maxAmount: '1000000', confirmations: 2, available: true },
    });
    expect(pair('USDT', 'ETH')).toMatchObject({ decimals: 6, minAmount: '0.01', available: true });
    expect(pair('USDT', 'ETH').contract).toMatch(/^0x[0-9a-fA-F]{40}$/);
    expect(pair('USDT', 'BSC')).toMatchObject({ decimals: 18, contract: null, confirmations: 15, available: false });
    expect(pair('BTC', 'BTC')).toMatchObject({ available: false, confirmations: 2 });
  });

  it('says what creating a payment then does', async () => {
    const shop = await newMerchant(gateway);
    const { items } = dataOf(await rest(gateway)('GET', '/currencies'));
    for (const { currency, network, minAmount, available } of items as Json[]) {
      const { status } = await shop.rest('POST', '/payments', { amount: minAmount, currency, network });
      expect([currency, network, status]).toEqual([currency, network, available ? 201 : 503]);
    }
  });

  it('takes no parameter', async () => {
    expectFaults(await rest(gateway)('GET', '/currencies?limit=5'), ['limit']);
  });

  it('is the query of the same name', async () => {
    const { body } = await graphql(gateway)(
      '{ currencies { currency network name decimals contract minAmount maxAmount confirmations available } }',
    );
    expect(body.data.currencies).toEqual(dataOf(await rest(gateway)('GET', '/currencies')).items);
  });

  it('over GraphQL each has what a withdrawal is charged on top, nothing in the sandbox', async () => {
    const { body } = await graphql(gateway)('{ currencies { networkFee } }');
    const fees = (body.data.currencies as Json[]).map(({ networkFee }) => networkFee as string);
    expect(fees).toHaveLength(ASSETS.length);
    expect(new Set(fees)).toEqual(new Set(['0']));
  });
});
