// POST /invoices: the calls that are answered with 400.

import { describe, expect, it } from '@jest/globals';
import { newMerchant } from '../../support/clients.ts';
import { dataOf, expectFaults, expectRefusal } from '../../support/expectations.ts';
import { create, gateway, shop } from '../fixtures/invoices.fixture.ts';

const USDT = { currency: 'USDT', network: 'ETH' };

describe('POST /invoices: 400', () => {
  it.each([
    ['amount', { amount: 49.9 }],
    ['amount', { amount: '0' }],
    ['amount', { amount: '-1' }],
    ['amount', { amount: '1e3' }],
    ['amount', { amount: '49.901' }],
    ['amount', { amount: '1.1', currency: 'JPY' }],
    ['amount', { amount: '1.2345', currency: 'KWD' }],
    ['amount', { amount: '1.0000001', currency: 'USDC' }],
    ['amount', { amount: '1.000000001', currency: 'ETH' }],
    ...['', 'XXX', 'XAU', 'EURO', 'USDT-ETH', 'CLF'].map((currency) => ['currency', { currency }] as const),
    ['acceptedAssets', { acceptedAssets: [] }],
    ['acceptedAssets', { acceptedAssets: Array.from({ length: 31 }, () => USDT) }],
    ['acceptedAssets', { acceptedAssets: USDT }],
    ['acceptedAssets.1', { acceptedAssets: [USDT, { currency: 'usdt', network: 'erc20' }] }],
    ['acceptedAssets.0.network', { acceptedAssets: [{ currency: 'USDT' }] }],
    ['expirationMinutes', { expirationMinutes: 4 }],
    ['expirationMinutes', { expirationMinutes: 43_201 }],
    ['expirationMinutes', { expirationMinutes: 5.5 }],
    ['description', { description: ' ' }],
    ['description', { description: 'x'.repeat(256) }],
    ['merchantInvoiceId', { merchantInvoiceId: 'x'.repeat(256) }],
    ['customerEmail', { customerEmail: 'ann' }],
    ['returnUrl', { returnUrl: 'ftp://shop.example' }],
    ['callbackUrl', { callbackUrl: 'shop' }],
    ['metadata.a', { metadata: { a: 1 } }],
    ['customer', { customer: { name: 'Ann' } }],
    ['linkId', { linkId: 'lnk_0' }],
    ['network', { network: 'ETH' }],
  ])('names %s: %j (2001)', async (path, fields) => {
    expectFaults(await create(fields), [path]);
  });

  it('names all at once (2001)', async () => {
    const fields = {
      amount: '1.234',
      currency: 'EUR',
      acceptedAssets: [USDT, USDT],
      expirationMinutes: 1,
      test: 1,
      x: 1,
    };
    expectFaults(await create(fields), ['acceptedAssets.1', 'amount', 'expirationMinutes', 'test', 'x']);
    expectFaults(await shop.rest('POST', '/invoices', {}), ['amount', 'currency']);
  });

  it('an asset outside those of the settings (2001)', async () => {
    const merchant = await newMerchant(gateway);
    dataOf(await merchant.rest('PUT', '/merchant/settings', { acceptedAssets: [USDT] }));
    const acceptedAssets = [USDT, { currency: 'ETH', network: 'ETH' }];
    expectFaults(await create({ acceptedAssets }, merchant), ['acceptedAssets.1']);
    dataOf(await create({ acceptedAssets: [USDT] }, merchant), 201);
  });

  it.each([
    { currency: 'DOGE', network: 'ETH' },
    { currency: 'USDT', network: 'BTC' },
    { currency: 'USDT', network: 'MOON' },
  ])('an asset that there is not: %j (3001)', async (asset) => {
    expectRefusal(await create({ acceptedAssets: [USDT, asset] }), 400, '3001');
  });

  it('more than twelve digits before the point (3003)', async () => {
    expectRefusal(await create({ amount: '1000000000000' }), 400, '3003');
  });

  it('a currency that nothing here quotes (3008)', async () => {
    expectRefusal(await create({ currency: 'XOF', amount: '500' }), 400, '3008');
  });

  it('a callbackUrl that webhooks may not be sent to (5001)', async () => {
    expectRefusal(await create({ callbackUrl: 'https://example.com:25/' }), 400, '5001');
  });

  it('leaves nothing behind', async () => {
    const merchant = await newMerchant(gateway);
    for (const fields of [{ amount: '0' }, { currency: 'XOF', amount: '5' }]) await create(fields, merchant);
    expect(dataOf(await merchant.rest('GET', '/invoices')).items).toEqual([]);
    expect(dataOf(await merchant.rest('GET', '/events')).items).toEqual([]);
  });
});
