// GET /invoices: the calls that are answered with 200.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';
import { dataOf, FULL_INVOICE_KEYS } from '../../support/expectations.ts';
import { createFor, gateway, idsOf, other } from '../fixtures/invoices.fixture.ts';

let merchant: TestMerchant;
/** Newest first. Every third is in US dollars. */
const ids: string[] = [];
const list = (query = '') => merchant.rest('GET', `/invoices${query}`);

beforeAll(async () => {
  merchant = await newMerchant(gateway);
  for (let nth = 0; nth < 24; nth += 1) {
    const fields = { currency: nth % 3 === 0 ? 'USD' : 'EUR', merchantInvoiceId: `n${nth}` };
    ids.unshift(await createFor(merchant, fields));
  }
});

describe('GET /invoices: 200', () => {
  it('answers full invoices, newest first, twenty unless asked otherwise', async () => {
    const answer = await list();
    const data = dataOf(answer);
    expect(Object.keys(data as object)).toEqual(['items', 'pagination']);
    expect(data.pagination).toEqual({ nextCursor: expect.any(String), hasMore: true });
    expect(idsOf(answer)).toEqual(ids.slice(0, 20));
    for (const item of data.items as object[]) expect(Object.keys(item)).toEqual(FULL_INVOICE_KEYS);
  });

  it('goes on where the page before ended', async () => {
    const first = await list('?limit=10');
    const second = await list(`?limit=100&cursor=${dataOf(first).pagination.nextCursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids);
    expect(dataOf(second).pagination).toEqual({ nextCursor: null, hasMore: false });
  });

  it('is narrowed by currency, reference, state, link and time', async () => {
    const inDollars = ids.filter((_, index) => (23 - index) % 3 === 0);
    expect(idsOf(await list('?currency=usd&limit=100'))).toEqual(inDollars);
    expect(idsOf(await list('?merchantInvoiceId=n7'))).toEqual([ids[16]]);
    expect(idsOf(await list('?linkId=lnk_0'))).toEqual([]);
    const canceled = ids[5] ?? '';
    dataOf(await merchant.rest('DELETE', `/invoices/${canceled}`));
    expect(idsOf(await list('?status=CANCELED'))).toEqual([canceled]);
    expect(idsOf(await list('?status=canceled&status=OPEN&limit=100'))).toEqual(ids);
    expect(idsOf(await list('?status=CANCELED&currency=JPY'))).toEqual([]);
    expect(idsOf(await list('?startDate=2999-01-01'))).toEqual([]);
    expect(idsOf(await list('?endDate=2999-01-01&limit=100'))).toEqual(ids);
  });

  it("shows nobody else's", async () => {
    expect(dataOf(await other.rest('GET', '/invoices?merchantInvoiceId=n7')).items).toEqual([]);
  });
});
