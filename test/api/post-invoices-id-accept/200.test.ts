// POST /invoices/{id}/accept: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { newMerchant } from '../../support/clients.ts';
import { dataOf, FULL_INVOICE_KEYS } from '../../support/expectations.ts';
import { gateway, paidLate, read } from '../fixtures/invoices.fixture.ts';

describe('POST /invoices/{id}/accept: 200', () => {
  it('settles an invoice whose full value came late under MANUAL', async () => {
    const merchant = await newMerchant(gateway);
    dataOf(await merchant.rest('PUT', '/merchant/settings', { latePaymentPolicy: 'MANUAL' }));
    const invoiceId = await paidLate(merchant);
    expect(await read(invoiceId, merchant)).toMatchObject({ status: 'EXPIRED', amountConfirmed: '49.9' });
    const accepted = dataOf(await merchant.rest('POST', `/invoices/${invoiceId}/accept`));
    expect(accepted).toMatchObject({ status: 'SETTLED', exception: 'PAID_LATE' });
    expect(Object.keys(accepted as object)).toEqual(FULL_INVOICE_KEYS);
  });
});
