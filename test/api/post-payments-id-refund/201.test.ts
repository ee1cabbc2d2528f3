// POST /payments/{id}/refund: the calls that are answered with 201.

import { describe, expect, it } from '@jest/globals';
import { ADDRESS, expired, paid, pay, refund, shop } from '../fixtures/refunds.fixture.ts';
import { dataOf, expectKeys, expectRefusal, id, ISO, REFUND_KEYS } from '../../support/expectations.ts';

describe('POST /payments/{id}/refund: 201', () => {
  it('answers the refund, all that is refundable unless said otherwise', async () => {
    const orderId = await paid();
    const refunded = dataOf(await refund(orderId), 201);
    expectKeys(
      refunded,
      REFUND_KEYS.filter((key) => key !== 'createdAt'),
    );
    expect(refunded).toEqual({
      ...{ refundId: expect.stringMatching(id('rfd')), orderId, status: 'REQUESTED', amount: '25' },
      ...{ address: ADDRESS, txHash: null, heldReason: null, failureReason: null, completedAt: null },
      updatedAt: expect.stringMatching(ISO),
    });
  });

  it('for a part, then for what is left; 409 for more (3006)', async () => {
    const orderId = await paid();
    expect(dataOf(await refund(orderId, { amount: '10.50' }), 201).amount).toBe('10.5');
    expectRefusal(await refund(orderId, { amount: '14.500001' }), 409, '3006');
    expect(dataOf(await refund(orderId, { amount: null }), 201).amount).toBe('14.5');
    expectRefusal(await refund(orderId), 409, '3006');
  });

  it('for an expired payment: the deposit no longer counts', async () => {
    const orderId = await expired(shop);
    expect(dataOf(await pay(orderId, { amount: '10' })).status).toBe('EXPIRED');
    dataOf(await refund(orderId), 201);
    expect(dataOf(await pay(orderId, { amount: '15' })).status).toBe('EXPIRED');
    expect(dataOf(await pay(orderId, { amount: '10' }))).toMatchObject({ status: 'SUCCEEDED', exception: 'PAID_LATE' });
  });

  it('with an Idempotency-Key answers the same again, and refunds once', async () => {
    const orderId = await paid();
    const headers = { 'idempotency-key': 'refund' };
    const first = await refund(orderId, { amount: '1' }, shop, headers);
    const again = await refund(orderId, { amount: '1' }, shop, headers);
    expect(dataOf(again, 201)).toEqual(dataOf(first, 201));
    expect(again.headers['idempotent-replayed']).toBe('true');
    expectRefusal(await refund(orderId, { amount: '2' }, shop, headers), 422, '2002');
    expectRefusal(await refund(await paid(), { amount: '1' }, shop, headers), 422, '2002');
    expect(dataOf(await refund(orderId), 201).amount).toBe('24');
  });

  it('is no withdrawal', async () => {
    const { refundId } = dataOf(await refund(await paid()), 201);
    expectRefusal(await shop.rest('GET', `/wallet/withdrawals/${refundId}`), 404, '2004');
    expect(dataOf(await shop.rest('GET', '/wallet/withdrawals')).items).toEqual([]);
  });
});
