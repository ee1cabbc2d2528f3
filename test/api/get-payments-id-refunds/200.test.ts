// GET /payments/{id}/refunds: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { createFor, MISSING, other, paid, refund, shop } from '../fixtures/refunds.fixture.ts';
import { dataOf, expectKeys, expectRefusal, REFUND_KEYS } from '../../support/expectations.ts';
import type { Json } from '../../support/clients.ts';

const read = (orderId: string, query = '', merchant = shop) =>
  merchant.rest('GET', `/payments/${orderId}/refunds${query}`);
const idsOf = ({ items }: Json) => (items as Json[]).map(({ refundId }) => refundId as string);

describe('GET /payments/{id}/refunds: 200', () => {
  it("answers the payment's refunds alone, newest first, as GET /refunds shows them", async () => {
    const [one, another] = [await paid(), await paid()];
    const first = dataOf(await refund(one, { amount: '1' }), 201).refundId as string;
    dataOf(await refund(another, { amount: '2' }), 201);
    const last = dataOf(await refund(one, { amount: '3' }), 201).refundId as string;
    const whole = dataOf(await read(one));
    expect(idsOf(whole)).toEqual([last, first]);
    expect(whole).toEqual(dataOf(await shop.rest('GET', `/refunds?paymentId=${one}`)));
    for (const item of whole.items as object[]) expectKeys(item, REFUND_KEYS);
    const page = dataOf(await read(one, '?limit=1'));
    expect([idsOf(page), page.pagination.hasMore]).toEqual([[last], true]);
    expect(idsOf(dataOf(await read(one, `?limit=1&cursor=${String(page.pagination.nextCursor)}`)))).toEqual([first]);
  });

  it('answers none for a payment without refunds, and 404 (2004) for one of somebody else or of nobody', async () => {
    const orderId = await createFor(shop);
    const none = { items: [], pagination: { nextCursor: null, hasMore: false } };
    expect(dataOf(await read(orderId))).toEqual(none);
    expectRefusal(await read(orderId, '', other), 404, '2004');
    expectRefusal(await read(MISSING), 404, '2004');
  });
});
