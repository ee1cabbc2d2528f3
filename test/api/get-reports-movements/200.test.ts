// GET /reports/movements: the calls that are answered with 200.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Json, newMerchant, type TestMerchant } from '../../support/clients.ts';
import { dataOf, ISO } from '../../support/expectations.ts';
import { gateway, paid, RECIPIENT, shop } from '../fixtures/reports.fixture.ts';

const COLUMNS = [
  ...['at', 'type', 'from', 'to', 'amount', 'currency', 'network', 'orderId', 'withdrawalId', 'refundId', 'txHash'],
  ...['fiatCurrency', 'fiatRate', 'fiatAmount'],
];

describe('GET /reports/movements: 200', () => {
  let merchant: TestMerchant;
  let order: string;

  beforeAll(async () => {
    merchant = await newMerchant(gateway);
    await paid(merchant);
    dataOf(await merchant.rest('PUT', '/merchant/settings', { accountingCurrency: 'eur' }));
    order = await paid(merchant);
    const body = { currency: 'USDT', network: 'ETH', amount: '1', address: RECIPIENT };
    dataOf(await merchant.rest('POST', '/wallet/withdraw', body), 201);
  });

  const movements = async (query = '', by = merchant) => dataOf(await by.rest('GET', `/reports/movements${query}`));

  it('answers every posting, newest first, at the rate of then', async () => {
    const { items, pagination } = await movements('?endDate=2100-01-01&limit=5');
    expect([items.length, typeof pagination.hasMore]).toEqual([5, 'boolean']);
    const own = (items as Json[]).filter(({ orderId }) => orderId === order);
    for (const item of items as object[]) expect(Object.keys(item)).toEqual(['id', ...COLUMNS]);
    const same = {
      ...{ id: expect.any(String), at: expect.stringMatching(ISO), currency: 'USDT', network: 'ETH', orderId: order },
      ...{ withdrawalId: null, refundId: null, txHash: expect.stringMatching(/^0x/) },
      ...{ fiatCurrency: 'EUR', fiatRate: '0.925462962963' },
    };
    expect(own).toEqual([
      { ...same, type: 'FEE', from: 'available', to: 'fee', amount: '0.25', fiatAmount: '0.23' },
      { ...same, type: 'DEPOSIT', from: 'outside', to: 'available', amount: '25', fiatAmount: '23.14' },
    ]);
  });

  it('answers pages, and those of a time and an asset', async () => {
    const all = (await movements('?limit=100&currency=USDT&network=ERC20')).items as Json[];
    expect(all.at(-1)).toMatchObject({ type: 'DEPOSIT', amount: '25', fiatCurrency: null, fiatRate: null });
    const paged: Json[] = [];
    for (let cursor = ''; ;) {
      const { items, pagination } = await movements(`?limit=2${cursor}`);
      paged.push(...items);
      if (!pagination.hasMore) break;
      cursor = `&cursor=${pagination.nextCursor}`;
    }
    expect(paged.slice(-4)).toEqual(all.slice(-4));
    expect((await movements('?endDate=2020-01-01')).items).toEqual([]);
    expect((await movements('?currency=BTC')).items).toEqual([]);
  });

  it('is CSV on demand: the oldest first, whatever the page, without ids', async () => {
    const answer = await merchant.rest('GET', '/reports/movements?format=csv&limit=1');
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    const [head, first, second] = answer.text.split('\r\n');
    expect(head).toBe(COLUMNS.join(','));
    expect(first).toMatch(/^[^,]+Z,DEPOSIT,outside,available,25,USDT,ETH,ord_[^,]+,,,0x[^,]+,,,$/);
    expect(second).toMatch(/,FEE,available,fee,0\.25,/);
    expect(answer.text).toContain(',0.925462962963,23.14\r\n');
    const nothing = await merchant.rest('GET', '/reports/movements?format=csv&endDate=2020-01-01');
    expect(nothing.text).toBe(`${COLUMNS.join(',')}\r\n`);
    const year = await merchant.rest('GET', '/reports/movements?format=csv&startDate=2024-01-01&endDate=2024-12-31');
    expect(year.status).toBe(200);
  });

  it('is of the merchant who asks, and over GraphQL the same in either order', async () => {
    await paid(shop);
    expect((await movements('', await newMerchant(gateway))).items).toEqual([]);
    const query = `query ($order: MovementOrder) { movements(first: 1, order: $order) {
      nodes { type amount } edges { cursor } pageInfo { hasNextPage } } }`;
    const { body } = await merchant.graphql(query, { order: 'OLDEST_FIRST' });
    expect(body.data.movements).toMatchObject({
      nodes: [{ type: 'DEPOSIT', amount: '25' }],
      pageInfo: { hasNextPage: true },
    });
    const { cursor } = body.data.movements.edges[0] as { cursor: string };
    // A cursor goes on in its own order alone.
    expect((await merchant.rest('GET', `/reports/movements?cursor=${cursor}`)).status).toBe(400);
  });
});
