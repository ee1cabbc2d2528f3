// POST /sandbox/payments/{id}/expire: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { createFor, deposit, gateway, shop } from '../fixtures/sandbox.fixture.ts';
import { expire } from './post-sandbox-payments-id-expire.fixture.ts';
import { newMerchant } from '../../support/clients.ts';
import { until } from '../../support/until.ts';
import { dataOf, expectKeys, expectRefusal, FULL_PAYMENT_KEYS } from '../../support/expectations.ts';

describe('POST /sandbox/payments/{id}/expire: 200', () => {
  it('moves expiresAt to now, and the ordinary expiry does the rest', async () => {
    const orderId = await createFor(shop);
    const payment = dataOf(await expire(orderId));
    expectKeys(payment, FULL_PAYMENT_KEYS);
    expect(Date.parse(payment.expiresAt as string)).toBeLessThanOrEqual(Date.now() + 1_000);
    await until(async () => dataOf(await shop.rest('GET', `/payments/${orderId}`)).status === 'EXPIRED');
    expectRefusal(await expire(orderId), 409, '3005');
  });

  it('is told of as the expiry that it is, and not before', async () => {
    const merchant = await newMerchant(gateway);
    const orderId = await createFor(merchant);
    dataOf(await merchant.rest('POST', `/sandbox/payments/${orderId}/expire`));
    await until(async () => dataOf(await merchant.rest('GET', `/payments/${orderId}`)).status === 'EXPIRED');
    const { items } = dataOf(await merchant.rest('GET', '/events')) as { items: { type: string }[] };
    expect(items.map(({ type }) => type)).toEqual(['payment.created', 'payment.expired']);
  });

  it('a part that was paid makes it FAILED, UNDERPAID', async () => {
    const orderId = await createFor(shop);
    dataOf(await deposit(orderId, { amount: '24.999999' }));
    dataOf(await expire(orderId));
    const payment = await until(async () => {
      const seen = dataOf(await shop.rest('GET', `/payments/${orderId}`));
      return seen.status === 'FAILED' && seen;
    });
    expect(payment).toMatchObject({ exception: 'UNDERPAID', amountConfirmed: '24.999999', feeAmount: '0.249999' });
  });
});
