// DELETE /invoices/{id}: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { dataOf, ISO } from '../../support/expectations.ts';
import { chosen, createFor, read, shop } from '../fixtures/invoices.fixture.ts';

describe('DELETE /invoices/{id}: 200', () => {
  it('answers the full invoice, canceled, and its payments with it', async () => {
    const invoiceId = await createFor(shop);
    const orderIds = [await chosen(invoiceId), await chosen(invoiceId, 'ETH')];
    const before = await read(invoiceId);
    const canceled = dataOf(await shop.rest('DELETE', `/invoices/${invoiceId}`));
    const payments = before.payments.map((payment: object) => ({ ...payment, status: 'CANCELED' }));
    expect(canceled).toEqual({ ...before, status: 'CANCELED', payments, updatedAt: expect.stringMatching(ISO) });
    expect(await read(invoiceId)).toEqual(canceled);
    for (const id of orderIds) expect(dataOf(await shop.rest('GET', `/payments/${id}`)).status).toBe('CANCELED');
  });
});
