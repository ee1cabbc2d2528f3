// GET /payments/{id}: the calls that are answered with 200.

import { afterAll, describe, expect, it } from '@jest/globals';
import { closeReceivers } from '../../dispatch/receivers.fixture.ts';
import { receiveWebhooks } from '../../dispatch/webhook-receiver.fixture.ts';
import { createFor, shop } from '../fixtures/payments.fixture.ts';
import { dataOf, expectKeys, FULL_PAYMENT_KEYS } from '../../support/expectations.ts';
import { type Json, USDT_PAYMENT } from '../../support/clients.ts';
import { until } from '../../support/until.ts';

afterAll(closeReceivers);

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
      invoiceId: null,
    });
  });

  it('answers the very payment that its webhook brought and its event holds, transactions and all', async () => {
    const hook = await receiveWebhooks();
    const orderId = await createFor(shop, { callbackUrl: hook.url, metadata: { b: '1', a: 'ü', 10: 'x' } });
    dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`));
    const webhook = await until(() => hook.received[0]);
    const { data, id } = JSON.parse(webhook.body.toString());
    const { data: payment } = (await shop.rest('GET', `/payments/${orderId}`)).body;
    expect(payment.transactions).toHaveLength(1);
    expect(JSON.stringify(payment)).toBe(JSON.stringify(data.payment));
    const { items } = dataOf(await shop.rest('GET', '/events?limit=100')) as { items: Json[] };
    expect(JSON.stringify(items.find((event) => event['id'] === id)?.['payment'])).toBe(JSON.stringify(payment));
  });
});
