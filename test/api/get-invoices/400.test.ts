// GET /invoices: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { dataOf, expectFaults } from '../../support/expectations.ts';
import { createFor, other, shop } from '../fixtures/invoices.fixture.ts';

describe('GET /invoices: 400', () => {
  it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
    ['cursor', 'cursor=x'],
    ['status.0', 'status=PENDING'],
    ['startDate', 'startDate=soon'],
    ['endDate', 'endDate=2026-02-30'],
    ['currency', 'currency='],
    ['network', 'network=ETH'],
  ])('names %s: ?%s (2001)', async (path, query) => {
    expectFaults(await shop.rest('GET', `/invoices?${query}`), [path]);
  });

  it("another list's or merchant's cursor (2001)", async () => {
    for (let nth = 0; nth < 2; nth += 1) await createFor(shop);
    const { pagination } = dataOf(await shop.rest('GET', '/invoices?limit=1'));
    expectFaults(await other.rest('GET', `/invoices?cursor=${pagination.nextCursor}`), ['cursor']);
    expectFaults(await shop.rest('GET', `/payments?cursor=${pagination.nextCursor}`), ['cursor']);
  });
});
