// GET /refunds: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { paid, refund, shop } from '../fixtures/refunds.fixture.ts';
import { dataOf, expectKeys, REFUND_KEYS } from '../../support/expectations.ts';
import type { Json } from '../../support/clients.ts';

const list = async (query: string): Promise<Json> => dataOf(await shop.rest('GET', `/refunds${query}`));
const idsOf = ({ items }: Json) => (items as Json[]).map(({ refundId }) => refundId as string);

describe('GET /refunds: 200', () => {
  it('answers refunds, newest first, of a payment or in a state where that is asked', async () => {
    const [one, other] = [await paid(), await paid()];
    const ids: string[] = [];
    for (const [orderId, amount] of [
      [one, '1'],
      [other, '2'],
      [one, '3'],
    ] as const)
      ids.unshift(dataOf(await refund(orderId, { amount }), 201).refundId as string);
    const [newest = '', , oldest = ''] = ids;
    expect(idsOf(await list('?limit=3'))).toEqual(ids);
    expect(idsOf(await list(`?paymentId=${one}`))).toEqual([newest, oldest]);
    expect(idsOf(await list(`?paymentId=${one}&status=REJECTED`))).toEqual([]);
    expect(idsOf(await list('?status=REJECTED&status=AWAITING_APPROVAL'))).toEqual([]);
    const all = '?status=REQUESTED&status=BROADCAST&status=COMPLETED';
    expect(idsOf(await list(`${all}&limit=3`))).toEqual(ids);
    const first = await list(`${all}&limit=2`);
    expect(idsOf(await list(`${all}&limit=1&cursor=${String(first.pagination.nextCursor)}`))).toEqual([oldest]);
    for (const item of first.items as object[]) expectKeys(item, REFUND_KEYS);
  });
});
