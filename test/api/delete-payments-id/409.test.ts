// DELETE /payments/{id}: the calls that are answered with 409.

import { describe, expect, it } from '@jest/globals';
import { createFor, shop } from '../fixtures/payments.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('DELETE /payments/{id}: 409', () => {
  it('the second time, and only one of many at once succeeds (3005)', async () => {
    const orderId = await createFor(shop);
    const answers = await Promise.all(Array.from({ length: 5 }, () => shop.rest('DELETE', `/payments/${orderId}`)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) expectRefusal(answer, 409, '3005');
  });

  it.each([-1, 0, 1])('once a deposit was seen, with %i blocks on top of its own (3005)', async (confirmations) => {
    const orderId = await createFor(shop);
    dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, { amount: '1', confirmations }));
    expectRefusal(await shop.rest('DELETE', `/payments/${orderId}`), 409, '3005');
  });
});
