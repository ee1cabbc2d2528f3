// POST /checkout/invoices/{id}/choose: the calls that are answered with 400.

import { describe, expect, it } from '@jest/globals';
import { expectFaults, expectRefusal } from '../../support/expectations.ts';
import { choose, createFor, payer, read, shop } from '../fixtures/invoices.fixture.ts';

describe('POST /checkout/invoices/{id}/choose: 400', () => {
  it.each([
    [['currency', 'network'], {}],
    [['network'], { currency: 'USDT', network: '' }],
    [['currency'], { currency: 1, network: 'ETH' }],
    [['amount'], { currency: 'USDT', network: 'ETH', amount: '1' }],
    [['id'], { currency: 'USDT', network: 'ETH', id: 'inv_0' }],
  ])('names %j: %j (2001)', async (paths, body) => {
    const invoiceId = await createFor(shop);
    expectFaults(await payer('POST', `/checkout/invoices/${invoiceId}/choose`, body), paths);
  });

  it('an asset that there is not, and one that the invoice does not take (3001)', async () => {
    const invoiceId = await createFor(shop, { acceptedAssets: [{ currency: 'USDC', network: 'ETH' }] });
    expectRefusal(await choose(invoiceId, 'DOGE'), 400, '3001');
    expectRefusal(await choose(invoiceId, 'USDT'), 400, '3001');
    expect((await read(invoiceId)).payments).toEqual([]);
  });

  it('a price below the least amount of the coin (3002), and above the greatest (3003)', async () => {
    expectRefusal(await choose(await createFor(shop, { amount: '1', currency: 'JPY' })), 400, '3002');
    expectRefusal(await choose(await createFor(shop, { amount: '999999999' })), 400, '3003');
  });
});
