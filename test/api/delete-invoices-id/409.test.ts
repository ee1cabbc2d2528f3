// DELETE /invoices/{id}: the calls that are answered with 409.

import { describe, expect, it } from '@jest/globals';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { chosen, createFor, pay, read, shop } from '../fixtures/invoices.fixture.ts';

describe('DELETE /invoices/{id}: 409', () => {
  it('the second time, and only one of many at once succeeds (3005)', async () => {
    const invoiceId = await createFor(shop);
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.rest('DELETE', `/invoices/${invoiceId}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer, 409, '3005');
  });

  it('once money was seen (3005)', async () => {
    const invoiceId = await createFor(shop);
    dataOf(await pay(await chosen(invoiceId), { amount: '1', confirmations: -1 }));
    expectRefusal(await shop.rest('DELETE', `/invoices/${invoiceId}`), 409, '3005');
  });

  it('its payments cannot be canceled, accepted or expired by themselves (3005)', async () => {
    const invoiceId = await createFor(shop);
    const orderId = await chosen(invoiceId);
    expectRefusal(await shop.rest('DELETE', `/payments/${orderId}`), 409, '3005');
    expectRefusal(await shop.rest('POST', `/payments/${orderId}/accept`), 409, '3005');
    expectRefusal(await shop.rest('POST', `/sandbox/payments/${orderId}/expire`), 409, '3005');
    expect((await read(invoiceId)).status).toBe('OPEN');
  });
});
