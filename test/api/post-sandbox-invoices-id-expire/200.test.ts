// POST /sandbox/invoices/{id}/expire: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { dataOf, FULL_INVOICE_KEYS } from '../../support/expectations.ts';
import { chosen, createFor, expire, pay, readIn, shop } from '../fixtures/invoices.fixture.ts';

describe('POST /sandbox/invoices/{id}/expire: 200', () => {
  it('ends the time of an invoice that nobody chose for, and the ordinary expiry does the rest', async () => {
    const invoiceId = await createFor(shop);
    const invoice = dataOf(await expire(invoiceId));
    expect(Object.keys(invoice as object)).toEqual(FULL_INVOICE_KEYS);
    expect(Date.parse(invoice.expiresAt as string)).toBeLessThanOrEqual(Date.now());
    expect(await readIn('EXPIRED', invoiceId)).toMatchObject({ exception: null });
  });

  it('and of one with choices', async () => {
    const invoiceId = await createFor(shop);
    await chosen(invoiceId);
    dataOf(await expire(invoiceId));
    const { payments } = await readIn('EXPIRED', invoiceId);
    expect(payments).toMatchObject([{ status: 'EXPIRED' }]);
  });

  it('one that was paid in part fails, underpaid', async () => {
    const invoiceId = await createFor(shop);
    dataOf(await pay(await chosen(invoiceId), { amount: '20' }));
    await readIn('PARTIALLY_PAID', invoiceId);
    dataOf(await expire(invoiceId));
    expect(await readIn('FAILED', invoiceId)).toMatchObject({ exception: 'UNDERPAID' });
  });
});
