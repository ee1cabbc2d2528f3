// POST /payments/{id}/accept: the calls that are answered with 409.

import { describe, expect, it } from '@jest/globals';
import { accept, createFor, expired, paid, pay, refund, shop } from '../fixtures/refunds.fixture.ts';
import { careful } from './post-payments-id-accept.fixture.ts';
import { dataOf, expectRefusal } from '../../support/expectations.ts';

describe('POST /payments/{id}/accept: 409', () => {
  it('while nothing, or not the full amount, arrived, or a part of it was refunded (3005)', async () => {
    const orderId = await expired(careful);
    expectRefusal(await accept(orderId, careful), 409, '3005');
    await pay(orderId, { amount: '24' }, careful);
    expectRefusal(await accept(orderId, careful), 409, '3005');
    dataOf(await refund(orderId, { amount: '10' }, careful), 201);
    await pay(orderId, { amount: '10' }, careful);
    expectRefusal(await accept(orderId, careful), 409, '3005');
    await pay(orderId, { amount: '1' }, careful);
    expect(dataOf(await accept(orderId, careful)).status).toBe('SUCCEEDED');
  });

  it('for a payment that is open, paid, or not under MANUAL (3005)', async () => {
    expectRefusal(await accept(await createFor(careful), careful), 409, '3005');
    expectRefusal(await accept(await paid(careful), careful), 409, '3005');
    expectRefusal(await accept(await expired(shop)), 409, '3005');
  });
});
