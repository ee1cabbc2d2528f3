// POST /sandbox/invoices/{id}/expire: the calls that are answered with 409.

import { describe, it } from '@jest/globals';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { createFor, expire, shop } from '../fixtures/invoices.fixture.ts';

describe('POST /sandbox/invoices/{id}/expire: 409', () => {
  it('an invoice that has ended (3005)', async () => {
    const invoiceId = await createFor(shop);
    dataOf(await shop.rest('DELETE', `/invoices/${invoiceId}`));
    expectRefusal(await expire(invoiceId), 409, '3005');
  });
});
