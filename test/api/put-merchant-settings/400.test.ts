// PUT /merchant/settings: the calls that are answered with 400.

import { describe, expect, it } from '@jest/globals';
import { change, DEFAULTS, PATH, shop } from '../fixtures/settings.fixture.ts';
import { dataOf, expectFaults, expectRefusal } from '../../support/expectations.ts';

const FIXED = { asset: 'USDT', currency: 'EUR', rate: '0.92' };
const OTHER = { ...FIXED, asset: 'usdc' };
const USDT = { currency: 'USDT', network: 'ETH' };

describe('PUT /merchant/settings: 400', () => {
  it.each([
    ['companyName', ''],
    ['companyName', ' '],
    ['companyName', 'x'.repeat(201)],
    ['companyName', 'a\0b'],
    ['companyName', 5],
    ['expirationMinutes', 4],
    ['expirationMinutes', 1_441],
    ['expirationMinutes', 30.5],
    ['expirationMinutes', '30'],
    ['underpaymentTolerance', -0.01],
    ['underpaymentTolerance', 50.01],
    ['underpaymentTolerance', 1.234],
    ['underpaymentTolerance', 1e-7],
    ['underpaymentTolerance', '1'],
    ['latePaymentPolicy', 'REFUSE'],
    ['latePaymentPolicy', ''],
    ['defaultReturnUrl', '/thanks'],
    ['defaultReturnUrl', 'javascript:alert(1)'],
    ['defaultReturnUrl', 'https://user:pass@shop.example/'],
    ['logoUrl', 'data:image/png;base64,AAAA'],
    ['logoUrl', `https://shop.example/${'x'.repeat(2_048)}`],
    ['accentColor', 'red'],
    ['accentColor', '#12345'],
    ['accentColor', '#123456;'],
    ['locale', 'english'],
    ['locale', 'de_DE'],
    ['invoiceExpirationMinutes', 4],
    ['invoiceExpirationMinutes', 43_201],
    ['invoiceExpirationMinutes', '60'],
    ['quoteMinutes', 4],
    ['quoteMinutes', 61],
    ['acceptedAssets', []],
    ['acceptedAssets', Array.from({ length: 31 }, () => USDT)],
    ['acceptedAssets', USDT],
    ['rateSpread', -1_001],
    ['rateSpread', 1_001],
    ['rateSpread', 0.5],
    ['fixedRates', Array.from({ length: 51 }, () => FIXED)],
    ['companyName', null],
    ['expirationMinutes', null],
    ['underpaymentTolerance', null],
    ['latePaymentPolicy', null],
    ['invoiceExpirationMinutes', null],
    ['quoteMinutes', null],
    ['rateSpread', null],
    ['fixedRates', null],
    ['accountingCurrency', 'USDT'],
    ['accountingCurrency', 'XAU'],
    ['accountingCurrency', 978],
    ['customerMails', null],
    ['customerMails', 'RECEIPT'],
    ['customerDataDays', 29],
    ['customerDataDays', 3_651],
    ['customerDataDays', 40.5],
    ['customerDataDays', '40'],
    ['supportEmail', 'nobody'],
    ['supportEmail', 'a@shop.example\r\nBcc: b@shop.example'],
    ['unknown', 1],
  ])('%s: %j is refused (2001)', async (name, value) => {
    expectFaults(await change({ [name]: value }), [name]);
    expect(dataOf(await shop.rest('GET', PATH))).toEqual(DEFAULTS);
  });

  it('an asset that is named twice is told by its place (2001), and one that there is not is 3001', async () => {
    expectFaults(await change({ acceptedAssets: [USDT, { currency: 'usdt', network: 'ERC20' }] }), [
      'acceptedAssets.1',
    ]);
    expectFaults(await change({ acceptedAssets: [USDT, { currency: 'ETH' }] }), ['acceptedAssets.1.network']);
    expectRefusal(await change({ acceptedAssets: [USDT, { currency: 'DOGE', network: 'ETH' }] }), 400, '3001');
    expect(dataOf(await shop.rest('GET', PATH))).toEqual(DEFAULTS);
  });

  it.each([
    [{ ...FIXED, rate: '0' }, '.rate'],
    [{ ...FIXED, rate: '0.1234567890123' }, '.rate'],
    [{ ...FIXED, rate: '1e3' }, '.rate'],
    [{ ...FIXED, asset: 'GBP' }, '.asset'],
    [{ ...FIXED, currency: 'XAU' }, '.currency'],
    [{ asset: 'usdt', currency: 'USDT', rate: '1' }, ''],
    [OTHER, ''],
  ])('the fixed rate %j is told by its place (2001)', async (wrong, field) => {
    expectFaults(await change({ fixedRates: [OTHER, wrong] }), [`fixedRates.1${field}`]);
    expect(dataOf(await shop.rest('GET', PATH))).toEqual(DEFAULTS);
  });

  it('lists every fault at once and changes nothing (2001)', async () => {
    const bad = { companyName: '', expirationMinutes: 1, accentColor: 'x', other: 1, locale: 'de' };
    expectFaults(await change(bad), ['companyName', 'expirationMinutes', 'accentColor', 'other']);
    expect(dataOf(await shop.rest('GET', PATH))).toEqual(DEFAULTS);
  });
});
