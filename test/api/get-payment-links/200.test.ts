// GET /payment-links: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { newMerchant, type Json } from '../../support/clients.ts';
import { dataOf } from '../../support/expectations.ts';
import { gateway, KEYS, open, other } from '../fixtures/links.fixture.ts';

describe('GET /payment-links: 200', () => {
  it("answers the merchant's links, newest first, in pages", async () => {
    const shop = await newMerchant(gateway);
    await open({}, other);
    const ids = [await open({}, shop), await open({ amount: null }, shop), await open({}, shop)].reverse();
    const { items, pagination } = dataOf(await shop.rest('GET', '/payment-links'));
    expect((items as Json[]).map((link) => link.id)).toEqual(ids);
    expect(pagination).toEqual({ nextCursor: null, hasMore: false });
    for (const link of items as object[]) expect(Object.keys(link)).toEqual(KEYS);
    const first = dataOf(await shop.rest('GET', '/payment-links?limit=2'));
    const rest = dataOf(await shop.rest('GET', `/payment-links?limit=2&cursor=${first.pagination.nextCursor}`));
    expect([...first.items, ...rest.items].map((link: Json) => link.id)).toEqual(ids);
  });
});
