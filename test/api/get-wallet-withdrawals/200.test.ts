// GET /wallet/withdrawals: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { gateway, KEYS } from '../fixtures/wallet.fixture.ts';
import { ids, idsOf, list } from './get-wallet-withdrawals.fixture.ts';
import { dataOf, expectKeys } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';

describe('GET /wallet/withdrawals: 200', () => {
  it('answers withdrawals, newest first, twenty unless asked otherwise', async () => {
    const answer = await list();
    expect(idsOf(answer)).toEqual(ids.slice(0, 20));
    expect(dataOf(answer).pagination).toEqual({ nextCursor: expect.any(String), hasMore: true });
    for (const item of dataOf(answer).items as object[]) expectKeys(item, KEYS);
  });

  it.each([1, 7, 25, 100])('pages of %i have no gaps and no repeats', async (limit) => {
    const found: string[] = [];
    let query = `?limit=${limit}`;
    for (let pages = 0; query !== '' && pages <= ids.length; pages += 1) {
      const answer = await list(query);
      found.push(...idsOf(answer));
      const { nextCursor, hasMore } = dataOf(answer).pagination as { nextCursor: string | null; hasMore: boolean };
      expect(hasMore).toBe(nextCursor !== null);
      query = nextCursor === null ? '' : `?limit=${limit}&cursor=${nextCursor}`;
    }
    expect(found).toEqual(ids);
  });

  it('answers those in the states that are asked for, page by page', async () => {
    const states = '?status=REQUESTED&status=BROADCAST&status=COMPLETED';
    const first = await list(`${states}&limit=20`);
    const { nextCursor } = dataOf(first).pagination as { nextCursor: string };
    expect([...idsOf(first), ...idsOf(await list(`${states}&limit=20&cursor=${nextCursor}`))]).toEqual(ids);
    expect(idsOf(await list('?status=FAILED&status=AWAITING_APPROVAL'))).toEqual([]);
  });

  it('a merchant without withdrawals has an empty list', async () => {
    expect(dataOf(await list('', await newMerchant(gateway)))).toEqual({
      items: [],
      pagination: { nextCursor: null, hasMore: false },
    });
  });
});
