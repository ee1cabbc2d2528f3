// GET /checkout/invoices/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { newMerchant, type Json } from '../../support/clients.ts';
import { dataOf, INVOICE_CHECKOUT_KEYS } from '../../support/expectations.ts';
import { chosen, createFor, expire, gateway, IN_USDT, pay, payer, readIn, shop } from '../fixtures/invoices.fixture.ts';

const look = async (invoiceId: string): Promise<Json> => dataOf(await payer('GET', `/checkout/invoices/${invoiceId}`));

describe('GET /checkout/invoices/{id}: 200', () => {
  it('shows what is due and what may be chosen, without a token', async () => {
    const invoiceId = await createFor(shop, { description: 'Tea', merchantInvoiceId: 'look', test: true });
    const checkout = await look(invoiceId);
    expect(Object.keys(checkout as object)).toEqual(INVOICE_CHECKOUT_KEYS);
    expect(checkout).toMatchObject({
      ...{ id: invoiceId, status: 'OPEN', exception: null, amount: '49.9', currency: 'EUR', amountReceived: '0' },
      ...{ amountDue: '49.9', description: 'Tea', merchantInvoiceId: 'look', companyName: 'Test shop', test: true },
      payments: [],
    });
    expect(checkout.options).toContainEqual({
      ...{ currency: 'USDT', network: 'ETH', networkName: 'Ethereum', state: 'OPEN' },
      approximateAmount: IN_USDT.amount,
    });
    for (const { network } of checkout.options) expect(network).toBe('ETH');
  });

  it('looking costs nothing: no payment is made and no address taken', async () => {
    const merchant = await newMerchant(gateway);
    const invoiceId = await createFor(merchant);
    await look(invoiceId);
    expect(dataOf(await merchant.rest('GET', '/payments')).items).toEqual([]);
    expect(dataOf(await merchant.rest('GET', `/invoices/${invoiceId}`)).payments).toEqual([]);
  });

  it('says why a coin may not be chosen', async () => {
    const assets = [
      { currency: 'BTC', network: 'BTC' },
      { currency: 'USDT', network: 'ETH' },
    ];
    const states = async (fields: object) => {
      const { options } = await look(await createFor(shop, { acceptedAssets: assets, ...fields }));
      return options.map(({ currency, state }: Json) => `${currency} ${state}`);
    };
    expect(await states({})).toEqual(['BTC NO_NODE', 'USDT OPEN']);
    expect(await states({ amount: '1', currency: 'JPY' })).toEqual(['BTC NO_NODE', 'USDT BELOW_MINIMUM']);
    expect(await states({ amount: '999999999' })).toEqual(['BTC NO_NODE', 'USDT ABOVE_MAXIMUM']);
  });

  it('a coin has no rate when the sandbox says so', async () => {
    const merchant = await newMerchant(gateway);
    const invoiceId = await createFor(merchant);
    dataOf(await merchant.rest('POST', '/sandbox/rates', { code: 'USDT', usd: null }));
    const { options } = await look(invoiceId);
    expect(options.find(({ currency }: Json) => currency === 'USDT')).toMatchObject({
      ...{ state: 'NO_RATE', approximateAmount: null },
    });
    expect(options.find(({ currency }: Json) => currency === 'USDC')).toMatchObject({ state: 'OPEN' });
  });

  it('a choice is shown with its address and rate, and the newest is the one to pay', async () => {
    const invoiceId = await createFor(shop);
    const [first, second] = [await chosen(invoiceId), await chosen(invoiceId, 'USDC')];
    const { payments } = await look(invoiceId);
    expect(payments.map(({ checkout, isCurrent }: Json) => [checkout.id, isCurrent])).toEqual([
      [first, false],
      [second, true],
    ]);
    expect(Object.keys(payments[0] as object)).toEqual(['checkout', 'rate', 'quoteExpiresAt', 'isCurrent']);
    expect(payments[0]).toMatchObject({
      rate: IN_USDT.rate,
      checkout: {
        amount: IN_USDT.amount,
        amountDue: IN_USDT.amount,
        network: 'ETH',
        confirmations: 0,
        status: 'PENDING',
      },
    });
    expect(payments[0].checkout.paymentUri).toContain(payments[0].checkout.address.slice(2));
  });

  it('once it is paid, nothing may be chosen, and nothing is to be paid', async () => {
    const invoiceId = await createFor(shop);
    dataOf(await pay(await chosen(invoiceId)));
    await readIn('SETTLED', invoiceId);
    const checkout = await look(invoiceId);
    expect(checkout).toMatchObject({ status: 'SETTLED', amountDue: '0', options: [] });
    expect(checkout.payments.map(({ isCurrent }: Json) => isCurrent)).toEqual([false]);
    expect(checkout.payments[0].checkout).toMatchObject({ status: 'SUCCEEDED', amountDue: '0' });
  });

  it('and neither once its time is over', async () => {
    const invoiceId = await createFor(shop);
    dataOf(await expire(invoiceId));
    await readIn('EXPIRED', invoiceId);
    expect(await look(invoiceId)).toMatchObject({ status: 'EXPIRED', options: [] });
  });

  it('nothing that only concerns the merchant is in it, by name or by value', async () => {
    const secret = {
      customerEmail: 'ann@hidden.example',
      callbackUrl: 'http://127.0.0.1:1024/hidden',
      metadata: { a: 'hidden' },
    };
    const invoiceId = await createFor(shop, secret);
    await chosen(invoiceId);
    const { text } = await payer('GET', `/checkout/invoices/${invoiceId}`);
    expect(text).not.toMatch(/hidden|customer|callbackUrl|metadata|marketRate|spread|sources|mer_/);
  });
});
