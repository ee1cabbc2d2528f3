// GET /invoices/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import {
  dataOf,
  FULL_INVOICE_KEYS,
  INVOICE_PAYMENT_KEYS,
  INVOICE_TRANSACTION_KEYS,
  ISO,
} from '../../support/expectations.ts';
import { chosen, createFor, gateway, IN_USDT, pay, read, readIn, shop } from '../fixtures/invoices.fixture.ts';

describe('GET /invoices/{id}: 200', () => {
  it('shows quotes, payments and transactions, with keys in the documented order', async () => {
    const invoiceId = await createFor(shop);
    const orderId = await chosen(invoiceId);
    const { quoteExpiresAt, quotedAt, address } = (await read(invoiceId)).payments[0];
    dataOf(await pay(orderId, { amount: '20' }));
    const invoice = await readIn('PARTIALLY_PAID', invoiceId);
    expect(Object.keys(invoice as object)).toEqual(FULL_INVOICE_KEYS);
    // 20 × 0.925462962963 = 18.50925925926: received is rounded down, and what is due up.
    expect(invoice).toMatchObject({ status: 'PARTIALLY_PAID', amountReceived: '18.5', amountDue: '31.4' });
    const [payment] = invoice.payments;
    expect(Object.keys(payment as object)).toEqual(INVOICE_PAYMENT_KEYS);
    expect(payment).toMatchObject({
      ...{ orderId, currency: 'USDT', network: 'ETH', address, status: 'PARTIALLY_PAID', exception: null, ...IN_USDT },
      ...{ marketRate: IN_USDT.rate, spread: 0, sources: ['sandbox'], quotedAt, quoteExpiresAt },
      ...{ amountReceived: '20', amountConfirmed: '20', amountRefunded: '0' },
      ...{ valueReceived: '18.5', valueConfirmed: '18.5' },
    });
    const [transaction] = payment.transactions;
    expect(Object.keys(transaction as object)).toEqual(INVOICE_TRANSACTION_KEYS);
    expect(transaction).toMatchObject({ amount: '20', status: 'CONFIRMED', rate: IN_USDT.rate, value: '18.5' });
    expect(Date.parse(quoteExpiresAt as string) - Date.parse(quotedAt as string)).toBe(15 * 60_000);
  });

  it('is settled by the rest, and when is said once and for all', async () => {
    const invoiceId = await createFor(shop);
    const orderId = await chosen(invoiceId);
    dataOf(await pay(orderId));
    const invoice = await readIn('SETTLED', invoiceId);
    // 53.91896 × 0.925462962963 = 49.90000048…: a surplus below a cent is no overpayment.
    expect(invoice).toMatchObject({ exception: null, amountReceived: '49.9', amountConfirmed: '49.9', amountDue: '0' });
    expect(invoice.settledAt).toMatch(ISO);
  });

  it('its payment is an order like others, whose page is that of the invoice', async () => {
    const invoiceId = await createFor(shop, { description: 'Tea', merchantInvoiceId: 'page' });
    const orderId = await chosen(invoiceId);
    const payment = dataOf(await shop.rest('GET', `/payments/${orderId}`));
    expect(payment).toMatchObject({
      ...{ orderId, invoiceId, paymentUrl: `${gateway.url}/pay/${invoiceId}`, status: 'PENDING' },
      ...{ productName: 'Tea', merchantOrderId: 'page', callbackUrl: null, metadata: null },
    });
  });
});
