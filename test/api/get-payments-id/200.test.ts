// GET /payments/{id}, as far as it answers 200.

import { describe, expect, it } from '@jest/globals';
import { shop } from '../fixtures/payments.ts';
import { dataOf, expectKeys, FULL_PAYMENT_KEYS } from '../../support/expectations.ts';
import { USDT_PAYMENT } from '../../support/clients.ts';

describe('GET /payments/{id}: 200', () => {
  it('answers the full payment, every documented key, null where there is no value', async () => {
    const created = dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201);
    const payment = dataOf(await shop.rest('GET', `/payments/${created.orderId}`));
    expectKeys(payment, FULL_PAYMENT_KEYS);
    expect(payment).toEqual({
      ...created,
      exception: null,
      test: false,
      merchantOrderId: null,
      productName: null,
      customerEmail: null,
      callbackUrl: null,
      returnUrl: null,
      metadata: null,
      amountReceived: '0',
      amountConfirmed: '0',
      amountRefunded: '0',
      feeAmount: '0',
      confirmations: 0,
      requiredConfirmations: 2,
      transactions: [],
      updatedAt: created.createdAt,
      completedAt: null,
    });
  });
});
