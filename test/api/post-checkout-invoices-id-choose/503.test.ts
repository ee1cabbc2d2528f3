// POST /checkout/invoices/{id}/choose: the calls that are answered with 503.

import { describe, expect, it } from '@jest/globals';
import { newMerchant } from '../../support/clients.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { choose, createFor, gateway, payer } from '../fixtures/invoices.fixture.ts';

describe('POST /checkout/invoices/{id}/choose: 503', () => {
  it('a network without a node here (3007)', async () => {
    const merchant = await newMerchant(gateway);
    const invoiceId = await createFor(merchant, { acceptedAssets: [{ currency: 'BTC', network: 'BTC' }] });
    const body = { currency: 'BTC', network: 'BTC' };
    expectRefusal(await payer('POST', `/checkout/invoices/${invoiceId}/choose`, body), 503, '3007');
  });

  it('a coin without a rate at the moment, and when to try again; others go on (3010)', async () => {
    const merchant = await newMerchant(gateway);
    const invoiceId = await createFor(merchant);
    dataOf(await merchant.rest('POST', '/sandbox/rates', { code: 'USDT', usd: null }));
    const refused = await choose(invoiceId);
    expectRefusal(refused, 503, '3010');
    expect(refused.headers['retry-after']).toBe('30');
    dataOf(await choose(invoiceId, 'USDC'));
  });
});
