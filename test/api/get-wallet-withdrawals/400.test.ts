// GET /wallet/withdrawals: the calls that are answered with 400.

import { describe, it } from '@jest/globals';
import { other } from '../fixtures/wallet.fixture.ts';
import { list, merchant } from './get-wallet-withdrawals.fixture.ts';
import { dataOf, expectFaults } from '../../support/expectations.ts';

describe('GET /wallet/withdrawals: 400', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['cursor=rubbish', 'cursor'],
    ['status=LOST', 'status.0'],
  ])('?%s is refused (2001)', async (query, path) => {
    expectFaults(await list(`?${query}`), [path]);
  });

  it("another merchant's cursor, or that of another list, is refused (2001)", async () => {
    const cursor = dataOf(await list('?limit=1')).pagination.nextCursor as string;
    expectFaults(await list(`?cursor=${cursor}`, other), ['cursor']);
    expectFaults(await merchant.rest('GET', `/payments?cursor=${cursor}`), ['cursor']);
  });
});
