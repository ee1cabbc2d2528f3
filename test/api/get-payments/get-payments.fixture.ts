// Further helpers for the tests of GET /payments.

import { beforeAll, expect } from '@jest/globals';
import { createFor, gateway } from '../fixtures/payments.fixture.ts';
import { dataOf } from '../../support/expectations.ts';
import { type Json, newMerchant, type TestMerchant } from '../../support/clients.ts';

export let merchant: TestMerchant;

export const ids: string[] = [];

export const list = (query = '') => merchant.rest('GET', `/payments${query}`);

beforeAll(async () => {
  merchant = await newMerchant(gateway);
  for (let n = 0; n < 45; n += 1) ids.unshift(await createFor(merchant, { merchantOrderId: `n${n % 3}` }));
});

/** Reads every page from the first to the last. */
export async function readAll(limit: number): Promise<Json[][]> {
  const pages: Json[][] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? `?limit=${limit}` : `?limit=${limit}&cursor=${cursor}`;
    const { items, pagination } = dataOf(await list(query));
    expect(pagination.hasMore).toBe(pagination.nextCursor !== null);
    pages.push(items as Json[]);
    cursor = pagination.nextCursor as string | null;
  } while (cursor !== null && pages.length <= ids.length);
  return pages;
}
