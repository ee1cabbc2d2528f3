// POST /payments/{id}/refund: the calls that are answered with 409.

import { describe, it } from '@jest/globals';
import { createFor, other, paid, pay, refund, shop } from '../fixtures/refunds.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('POST /payments/{id}/refund: 409', () => {
  it('while nothing was received, or what was is not confirmed (3006)', async () => {
    const orderId = await createFor(shop);
    expectRefusal(await refund(orderId), 409, '3006');
    expectRefusal(await refund(orderId, { amount: '1' }), 409, '3006');
    await pay(orderId, { confirmations: 0 });
    expectRefusal(await refund(orderId), 409, '3006');
  });

  it("when the balance does not bear it: the fee is the merchant's (4001)", async () => {
    const orderId = await paid(other);
    expectRefusal(await refund(orderId, {}, other), 409, '4001');
    dataOf(await refund(orderId, { amount: '24.75' }, other), 201);
  });
});
