// POST /invoices: the calls that are answered with 409.

import { describe, it } from '@jest/globals';
import { expectRefusal } from '../../support/expectations.ts';
import { create, createFor, expire, readIn, shop } from '../fixtures/invoices.fixture.ts';

describe('POST /invoices: 409', () => {
  it.each([
    { amount: '50' },
    { currency: 'USD' },
    { description: 'Tea' },
    { metadata: { a: 'b' } },
    { acceptedAssets: [{ currency: 'USDT', network: 'ETH' }] },
  ])('a reference with other input, here %j (3004)', async (fields) => {
    const merchantInvoiceId = `409-${JSON.stringify(fields)}`;
    await createFor(shop, { merchantInvoiceId });
    expectRefusal(await create({ merchantInvoiceId, ...fields }), 409, '3004');
  });

  it('a reference is taken for good, whatever became of its invoice (3004)', async () => {
    const invoiceId = await createFor(shop, { merchantInvoiceId: 'expired' });
    await expire(invoiceId);
    await readIn('EXPIRED', invoiceId);
    expectRefusal(await create({ merchantInvoiceId: 'expired', amount: '50' }), 409, '3004');
  });
});
