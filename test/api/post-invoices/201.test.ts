// POST /invoices: the calls that are answered with 201.

import { describe, expect, it } from '@jest/globals';
import { newMerchant } from '../../support/clients.ts';
import { dataOf, FULL_INVOICE_KEYS, id, ISO } from '../../support/expectations.ts';
import { until } from '../../support/until.ts';
import { chosen, create, createFor, gateway, read, shop } from '../fixtures/invoices.fixture.ts';

const FULL = {
  amount: '49.90',
  currency: 'eur',
  acceptedAssets: [
    { currency: 'usdt', network: 'erc20' },
    { currency: 'ETH', network: 'ETH' },
  ],
  description: 'Two tins of Assam',
  customerEmail: 'ann@customer.example',
  returnUrl: 'https://shop.example/thanks',
  callbackUrl: 'http://127.0.0.1:1024/orders',
  metadata: { basket: '7f3a' },
  expirationMinutes: 1_440,
  test: true,
};

describe('POST /invoices: 201', () => {
  it('answers the full invoice, whose keys are in the documented order', async () => {
    const invoice = dataOf(await create(), 201);
    expect(Object.keys(invoice as object)).toEqual(FULL_INVOICE_KEYS);
    expect(invoice).toEqual({
      ...{ invoiceId: expect.stringMatching(id('inv')), status: 'OPEN', exception: null, test: false },
      ...{ amount: '49.9', currency: 'EUR', acceptedAssets: null, description: null, merchantInvoiceId: null },
      ...{ linkId: null, customerEmail: null, customer: null, returnUrl: null, callbackUrl: null, metadata: null },
      invoiceUrl: `${gateway.url}/pay/${invoice.invoiceId}`,
      ...{ amountReceived: '0', amountConfirmed: '0', amountRefunded: '0', amountDue: '49.9', payments: [] },
      ...{ expiresAt: expect.stringMatching(ISO), createdAt: expect.stringMatching(ISO) },
      ...{ updatedAt: invoice.createdAt, settledAt: null },
    });
    expect(await read(invoice.invoiceId as string)).toEqual(invoice);
    expect(Date.parse(invoice.expiresAt as string) - Date.parse(invoice.createdAt as string)).toBe(60 * 60_000);
  });

  it('keeps all that was asked for, with codes as the gateway writes them', async () => {
    const invoice = dataOf(await create({ ...FULL, merchantInvoiceId: 'A-1' }), 201);
    const { expirationMinutes, ...asked } = FULL;
    expect(invoice).toMatchObject({
      ...{ ...asked, amount: '49.9', currency: 'EUR', merchantInvoiceId: 'A-1' },
      acceptedAssets: [
        { currency: 'USDT', network: 'ETH' },
        { currency: 'ETH', network: 'ETH' },
      ],
    });
    const lifeMs = Date.parse(invoice.expiresAt as string) - Date.parse(invoice.createdAt as string);
    expect(lifeMs).toBe(expirationMinutes * 60_000);
  });

  it.each([
    ['5000', 'JPY', '5000'],
    ['12.345', 'KWD', '12.345'],
    ['1.5000', 'usd', '1.5'],
    ['0.00000001', 'ETH', '0.00000001'],
    ['0.000001', 'USDT', '0.000001'],
    ['999999999999', 'EUR', '999999999999'],
  ])('a price may be %s %s', async (amount, currency, shown) => {
    const invoice = dataOf(await create({ amount, currency }), 201);
    expect(invoice).toMatchObject({ amount: shown, currency: currency.toUpperCase(), amountDue: shown });
  });

  it("takes the merchant's settings where it says nothing", async () => {
    const merchant = await newMerchant(gateway);
    const settings = { invoiceExpirationMinutes: 5, defaultReturnUrl: 'https://shop.example/back' };
    dataOf(await merchant.rest('PUT', '/merchant/settings', settings));
    const { expiresAt, createdAt, returnUrl } = dataOf(await create({}, merchant), 201);
    expect(Date.parse(expiresAt as string) - Date.parse(createdAt as string)).toBe(5 * 60_000);
    expect(returnUrl).toBe('https://shop.example/back');
  });

  it('is recorded as an event, which has the invoice and no payment', async () => {
    const merchant = await newMerchant(gateway);
    const invoice = dataOf(await create({ ...FULL }, merchant), 201);
    const items = await until(async () => {
      const found = dataOf(await merchant.rest('GET', '/events')).items;
      return found.length > 0 && found;
    });
    expect(items).toEqual([
      ...[
        { sequence: 1, id: expect.stringMatching(id('evt')), type: 'invoice.created', createdAt: invoice.createdAt },
      ].map((event) => ({ ...event, payment: null, withdrawal: null, refund: null, invoice })),
    ]);
    expect(Object.keys(items[0].invoice as object)).toEqual(FULL_INVOICE_KEYS);
  });

  it('the same input under a reference again answers the invoice as it is now', async () => {
    const fields = { ...FULL, merchantInvoiceId: 'A-2' };
    const first = await create(fields);
    const { invoiceId } = dataOf(first, 201);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    await chosen(invoiceId as string);
    const again = await create({ ...fields, metadata: { basket: '7f3a' } });
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(dataOf(again, 201)).toEqual(await read(invoiceId as string));
    expect(again.body.data.payments).toHaveLength(1);
  });

  it('of two at once under a reference one is made, and both get it', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create({ merchantInvoiceId: 'A-3' })));
    expect(new Set(answers.map((answer) => dataOf(answer, 201).invoiceId)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true')).toHaveLength(2);
  });

  it("another merchant's reference is another", async () => {
    const merchant = await newMerchant(gateway);
    const [mine, theirs] = [
      await createFor(shop, { merchantInvoiceId: 'B-1' }),
      await createFor(merchant, { merchantInvoiceId: 'B-1' }),
    ];
    expect(mine).not.toBe(theirs);
  });
});
