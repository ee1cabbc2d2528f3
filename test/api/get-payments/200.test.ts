// GET /payments: the calls that are answered with 200.

import { describe, expect, it } from '@jest/globals';
import { createFor, gateway, idsOf, other } from '../fixtures/payments.fixture.ts';
import { ids, list, merchant, readAll } from './get-payments.fixture.ts';
import { newId } from '../../../src/values/id.ts';
import { dataOf, expectKeys, FULL_PAYMENT_KEYS } from '../../support/expectations.ts';
import { newMerchant } from '../../support/clients.ts';

describe('GET /payments: 200', () => {
  it('answers full payments, newest first, twenty unless asked otherwise', async () => {
    const answer = await list();
    const data = dataOf(answer);
    expectKeys(data, ['items', 'pagination']);
    expectKeys(data.pagination, ['nextCursor', 'hasMore']);
    expect(data.pagination).toEqual({ nextCursor: expect.any(String), hasMore: true });
    expect(idsOf(answer)).toEqual(ids.slice(0, 20));
    for (const item of data.items as object[]) expectKeys(item, FULL_PAYMENT_KEYS);
  });

  it.each([
    [1, 45],
    [7, 7],
    [15, 3],
    [45, 1],
    [100, 1],
  ])('pages of %i have no gaps and no repeats', async (limit, pages) => {
    const read = await readAll(limit);
    expect(read).toHaveLength(pages);
    expect(read.flat().map((item) => item.orderId)).toEqual(ids);
  });

  it('a payment created meanwhile moves nothing', async () => {
    const first = dataOf(await list('?limit=10'));
    ids.unshift(await createFor(merchant));
    const second = await list(`?limit=10&cursor=${first.pagination.nextCursor}`);
    expect(idsOf(second)).toEqual(ids.slice(11, 21));
  });

  it('a merchant without payments has an empty list', async () => {
    const data = dataOf(await (await newMerchant(gateway)).rest('GET', '/payments'));
    expect(data).toEqual({ items: [], pagination: { nextCursor: null, hasMore: false } });
  });

  it('is narrowed by reference, across pages', async () => {
    const first = await list('?merchantOrderId=n1&limit=10');
    const cursor = dataOf(first).pagination.nextCursor as string;
    const second = await list(`?merchantOrderId=n1&limit=10&cursor=${cursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toHaveLength(15);
    expect(dataOf(second).pagination).toEqual({ nextCursor: null, hasMore: false });
  });

  it('is narrowed by state, which may be repeated, in any case', async () => {
    const canceled = ids[3] ?? '';
    dataOf(await merchant.rest('DELETE', `/payments/${canceled}`));
    expect(idsOf(await list('?status=CANCELED'))).toEqual([canceled]);
    expect(idsOf(await list('?status=canceled&status=EXPIRED'))).toEqual([canceled]);
    expect(idsOf(await list('?status=PENDING&status=CANCELED&limit=100'))).toEqual(ids);
    for (const query of ['status[]=PENDING&status[]=CANCELED', 'status%5B0%5D=PENDING&status=canceled'])
      expect([query, idsOf(await list(`?${query}&limit=100`))]).toEqual([query, ids]);
  });

  it('is narrowed by currency and network, by code or alias', async () => {
    const eth = await createFor(merchant, { currency: 'ETH' });
    ids.unshift(eth);
    expect(idsOf(await list('?currency=eth&network=erc20'))).toEqual([eth]);
    expect(idsOf(await list('?currency=USDT&network=ETH&limit=100'))).toEqual(ids.slice(1));
    expect(idsOf(await list('?network=BTC'))).toEqual([]);
  });

  it('is narrowed by dates: a bare end date is included', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const day = 24 * 60 * 60_000;
    const yesterday = new Date(Date.now() - day).toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + day).toISOString();
    expect(idsOf(await list(`?startDate=${yesterday}&endDate=${tomorrow.slice(0, 10)}&limit=100`))).toEqual(ids);
    expect(idsOf(await list(`?startDate=${tomorrow}`))).toEqual([]);
    expect(idsOf(await list(`?endDate=${yesterday}T00:00:00Z`))).toEqual([]);
    // A payment's id begins with the time of its creation.
    const lastInstant = new Date(`${today}T23:59:59.999Z`);
    const late = newId('ord', lastInstant.getTime());
    await gateway.sql('update payment set id = $2, created_at = $3 where id = $1', [ids[1], late, lastInstant]);
    expect(idsOf(await list(`?startDate=${today}T23:59:59.999Z&endDate=${today}`))).toEqual([late]);
  });

  it("another merchant's payments are not in the list", async () => {
    const own = await createFor(other);
    expect(idsOf(await other.rest('GET', '/payments?limit=100'))).toEqual([own]);
  });
});
