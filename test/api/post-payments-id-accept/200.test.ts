// POST /payments/{id}/accept: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { accept, expired, pay } from '../fixtures/refunds.fixture.ts';
import { careful } from './post-payments-id-accept.fixture.ts';
import { dataOf, expectKeys, expectRefusal, FULL_PAYMENT_KEYS } from '../../support/expectations.ts';

describe('POST /payments/{id}/accept: 200', () => {
  it('answers the full payment, SUCCEEDED (PAID_LATE), once', async () => {
    const orderId = await expired(careful);
    expect(dataOf(await pay(orderId, {}, careful))).toMatchObject({ status: 'EXPIRED', amountConfirmed: '25' });
    const accepted = dataOf(await accept(orderId, careful));
    expectKeys(accepted, FULL_PAYMENT_KEYS);
    expect(accepted).toMatchObject({ orderId, status: 'SUCCEEDED', exception: 'PAID_LATE' });
    expectRefusal(await accept(orderId, careful), 409, '3005');
  });

  it('while the money still wants confirmations: CONFIRMING', async () => {
    const orderId = await expired(careful);
    expect(dataOf(await pay(orderId, { confirmations: 0 }, careful)).status).toBe('EXPIRED');
    expect(dataOf(await accept(orderId, careful))).toMatchObject({ status: 'CONFIRMING', exception: null });
  });
});
