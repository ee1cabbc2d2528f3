// POST /invoices/{id}/accept: the calls that are answered with 409.

import { describe, it } from '@jest/globals';
import { expectRefusal } from '../../support/expectations.ts';
import { createFor, expire, paidLate, readIn, shop } from '../fixtures/invoices.fixture.ts';

const accept = (invoiceId: string) => shop.rest('POST', `/invoices/${invoiceId}/accept`);

describe('POST /invoices/{id}/accept: 409', () => {
  it('while it is open, and where nothing came (3005)', async () => {
    const invoiceId = await createFor(shop);
    expectRefusal(await accept(invoiceId), 409, '3005');
    await expire(invoiceId);
    await readIn('EXPIRED', invoiceId);
    expectRefusal(await accept(invoiceId), 409, '3005');
  });

  it('where late money is accepted anyway (3005)', async () => {
    const invoiceId = await paidLate(shop);
    await readIn('SETTLED', invoiceId);
    expectRefusal(await accept(invoiceId), 409, '3005');
  });
});
