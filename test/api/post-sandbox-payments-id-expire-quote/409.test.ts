// POST /sandbox/payments/{id}/expire-quote: the calls that are answered with 409.

import { describe, it } from '@jest/globals';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { USDT_PAYMENT } from '../../support/clients.ts';
import { shop } from '../fixtures/invoices.fixture.ts';

const expireQuote = (orderId: string) => shop.rest('POST', `/sandbox/payments/${orderId}/expire-quote`);

describe('POST /sandbox/payments/{id}/expire-quote: 409', () => {
  it('an order that belongs to no invoice (3005)', async () => {
    expectRefusal(
      await expireQuote(dataOf(await shop.rest('POST', '/payments', USDT_PAYMENT), 201).orderId),
      409,
      '3005',
    );
  });
});
