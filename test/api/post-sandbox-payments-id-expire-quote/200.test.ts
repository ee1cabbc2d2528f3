// POST /sandbox/payments/{id}/expire-quote: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { dataOf, FULL_INVOICE_KEYS } from '../../support/expectations.ts';
import { chosen, createFor, read, shop } from '../fixtures/invoices.fixture.ts';

describe('POST /sandbox/payments/{id}/expire-quote: 200', () => {
  it('ends the rate, not the invoice: the next choice makes another quote', async () => {
    const invoiceId = await createFor(shop);
    const orderId = await chosen(invoiceId);
    const invoice = dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/expire-quote`));
    expect(Object.keys(invoice as object)).toEqual(FULL_INVOICE_KEYS);
    expect(invoice).toMatchObject({ invoiceId, status: 'OPEN' });
    expect(Date.parse(invoice.payments[0].quoteExpiresAt as string)).toBeLessThanOrEqual(Date.now());
    const next = await chosen(invoiceId);
    expect(next).not.toBe(orderId);
    expect((await read(invoiceId)).payments).toHaveLength(2);
  });
});
