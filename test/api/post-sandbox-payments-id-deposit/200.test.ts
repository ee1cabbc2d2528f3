// POST /sandbox/payments/{id}/deposit: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { createFor, deposit, shop } from '../fixtures/sandbox.fixture.ts';
import { dataOf, expectKeys, FULL_PAYMENT_KEYS, ISO } from '../../support/expectations.ts';

describe('POST /sandbox/payments/{id}/deposit: 200', () => {
  it('pays what is due and mines enough to finish, unless told otherwise', async () => {
    const orderId = await createFor(shop);
    const payment = dataOf(await deposit(orderId));
    expectKeys(payment, FULL_PAYMENT_KEYS);
    expect(payment).toMatchObject({
      ...{ orderId, status: 'SUCCEEDED', exception: null, amountReceived: '25', amountConfirmed: '25' },
      ...{ feeAmount: '0.25', confirmations: 2, completedAt: expect.stringMatching(ISO) },
    });
    expect(payment.transactions).toEqual([
      {
        txHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
        amount: '25',
        status: 'CONFIRMED',
        confirmations: 2,
        blockNumber: expect.any(Number),
        seenAt: expect.stringMatching(ISO),
      },
    ]);
  });

  it('takes no body as well as an empty one', async () => {
    expect(dataOf(await deposit(await createFor(shop), undefined)).status).toBe('SUCCEEDED');
    expect(dataOf(await deposit(await createFor(shop), '')).status).toBe('SUCCEEDED');
  });

  it('-1 broadcasts without mining: the transaction waits, without a block', async () => {
    const payment = dataOf(await deposit(await createFor(shop), { confirmations: -1 }));
    expect(payment).toMatchObject({ status: 'CONFIRMING', amountReceived: '25', amountConfirmed: '0' });
    expect(payment.transactions).toMatchObject([{ status: 'PENDING', confirmations: 0, blockNumber: null }]);
  });

  it('0 mines the including block alone: the first confirmation of two', async () => {
    const payment = dataOf(await deposit(await createFor(shop), { confirmations: 0 }));
    expect(payment).toMatchObject({ status: 'CONFIRMING', confirmations: 1, requiredConfirmations: 2 });
  });

  it('a part is paid, then the rest, which is what is due by then', async () => {
    const orderId = await createFor(shop, { currency: 'ETH', amount: '0.3' });
    expect(dataOf(await deposit(orderId, { amount: '0.1' })).status).toBe('PARTIALLY_PAID');
    const payment = dataOf(await deposit(orderId));
    expect(payment).toMatchObject({ status: 'SUCCEEDED', exception: null, amountReceived: '0.3' });
    expect(payment.transactions).toMatchObject([{ amount: '0.1' }, { amount: '0.2' }]);
  });

  it('more than the amount marks the payment OVERPAID', async () => {
    const payment = dataOf(await deposit(await createFor(shop), { amount: '25.000001' }));
    expect(payment).toMatchObject({ status: 'SUCCEEDED', exception: 'OVERPAID', amountConfirmed: '25.000001' });
  });
});
