// POST /payments/{id}/refund: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { ADDRESS, MISSING, paid, refund, shop } from '../fixtures/refunds.fixture.ts';
import { expectFaults, expectRefusal } from '../../support/expectations.ts';

describe('POST /payments/{id}/refund: 400', () => {
  it.each([
    [{ amount: 5 }, ['amount']],
    [{ amount: '0' }, ['amount']],
    [{ amount: 'max' }, ['amount']],
    [{ amount: '0.1234567' }, ['amount']],
    [{ address: '' }, ['address']],
    [{ address: null }, ['address']],
    [{ address: 5, amount: '-1' }, ['address', 'amount']],
    [{ paymentId: MISSING }, ['paymentId']],
    [{ id: MISSING }, ['id']],
    [{ reason: 'late' }, ['reason']],
  ])('for %j (2001)', async (fields, paths) => {
    expectFaults(await refund(await paid(), fields), paths);
  });

  it('without an address (2001), for an invalid one (4002), and for dust (4003)', async () => {
    const orderId = await paid();
    expectFaults(await shop.rest('POST', `/payments/${orderId}/refund`, {}), ['address']);
    for (const address of ['0x12', `0x${'0'.repeat(40)}`, ADDRESS.replace('E7', 'e7')])
      expectRefusal(await refund(orderId, { address }), 400, '4002');
    expectRefusal(await refund(orderId, { amount: '0.009999' }), 400, '4003');
  });
});
