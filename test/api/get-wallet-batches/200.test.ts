// GET /wallet/batches: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { batch, BODY, fundedMerchant, other } from '../fixtures/wallet.fixture.ts';
import { dataOf } from '../../support/expectations.ts';

describe('GET /wallet/batches: 200', () => {
  it('pages through the batches of a merchant, newest first', async () => {
    const merchant = await fundedMerchant();
    const made = [];
    for (const amount of ['1', '2', '3']) {
      made.unshift(dataOf(await batch({ rows: [{ ...BODY, amount }] }, merchant), 201));
      await new Promise((resolve) => setTimeout(resolve, 2)); // ids of one millisecond have no order
    }
    const first = dataOf(await merchant.rest('GET', '/wallet/batches?limit=2'));
    expect(first.items).toEqual(made.slice(0, 2));
    expect(first.pagination).toMatchObject({ hasMore: true });
    const cursor = first.pagination.nextCursor as string;
    expect(dataOf(await merchant.rest('GET', `/wallet/batches?limit=2&cursor=${cursor}`))).toMatchObject({
      ...{ items: made.slice(2), pagination: { hasMore: false, nextCursor: null } },
    });
    expect(dataOf(await other.rest('GET', '/wallet/batches')).items).toEqual([]);
  });
});
