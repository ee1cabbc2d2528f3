// POST /payments/{id}/refund: the calls that are answered with 503.

import { describe, it } from '@jest/globals';
import { whileFrozen } from '../fixtures/freeze.fixture.ts';
import { gateway, paid, refund, shop } from '../fixtures/refunds.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('POST /payments/{id}/refund: 503', () => {
  it('while the operator has frozen payouts, whatever is asked for (4009); nothing is taken, and afterwards it goes through', async () => {
    const orderId = await paid(shop);
    await paid(shop);
    for (const fields of [{}, { amount: '1' }, { amount: '1000000' }])
      expectRefusal(await whileFrozen(gateway, shop.id, () => refund(orderId, fields)), 503, '4009');
    dataOf(await refund(orderId), 201);
  });
});
