// POST /checkout/invoices/{id}/choose: the calls that are answered with 409.

import { describe, expect, it } from '@jest/globals';
import { dataOf, expectRefusal } from '../../support/expectations.ts';
import { choose, chosen, createFor, expire, pay, read, readIn, shop } from '../fixtures/invoices.fixture.ts';

describe('POST /checkout/invoices/{id}/choose: 409', () => {
  it('an invoice that is canceled, over or paid (3009)', async () => {
    const canceled = await createFor(shop);
    dataOf(await shop.rest('DELETE', `/invoices/${canceled}`));
    const over = await createFor(shop);
    dataOf(await expire(over));
    const paid = await createFor(shop);
    dataOf(await pay(await chosen(paid)));
    await readIn('SETTLED', paid);
    for (const invoiceId of [canceled, over, paid]) expectRefusal(await choose(invoiceId), 409, '3009');
  });

  it('more than ten choices in a day (3011)', async () => {
    const invoiceId = await createFor(shop);
    for (let nth = 0; nth < 10; nth += 1) {
      const orderId = await chosen(invoiceId);
      dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/expire-quote`));
    }
    expectRefusal(await choose(invoiceId), 409, '3011');
    expect((await read(invoiceId)).payments).toHaveLength(10);
  });
});
