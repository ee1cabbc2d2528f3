// GET /reports/receipts: the calls that are answered with 200.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Json, newMerchant, type TestMerchant } from '../../support/clients.ts';
import { dataOf, ISO } from '../../support/expectations.ts';
import { gateway, paid, report, shop, SUMS } from '../fixtures/reports.fixture.ts';

const COLUMNS = [
  ...['creditedAt', 'orderId', 'invoiceId', 'merchantOrderId', 'merchantInvoiceId', 'txHash', 'currency', 'network'],
  ...['amount', 'fee', 'net', 'fiatCurrency', 'rate', 'rateAt', 'fiatAmount', 'fiatFee', 'fiatNet', 'reversedAt'],
];

describe('GET /reports/receipts: 200', () => {
  let merchant: TestMerchant;
  let orders: string[];

  beforeAll(async () => {
    merchant = await newMerchant(gateway);
    const first = await paid(merchant);
    dataOf(await merchant.rest('PUT', '/merchant/settings', { accountingCurrency: 'eur' }));
    orders = [first, await paid(merchant), await paid(merchant, { merchantOrderId: '=1+1' })].reverse();
  });

  const receipts = async (query = '', by = merchant) => dataOf(await by.rest('GET', `/reports/receipts${query}`));

  it('answers what was credited, newest first, at the market rate of then', async () => {
    const { items, pagination } = await receipts();
    expect((items as Json[]).map(({ orderId }) => orderId)).toEqual(orders);
    expect(pagination).toEqual({ nextCursor: null, hasMore: false });
    for (const item of items as object[]) expect(Object.keys(item)).toEqual(['id', ...COLUMNS]);
    const { id, txHash, ...newest } = items[0];
    expect([id, txHash]).toEqual([expect.any(String), expect.stringMatching(/^0x/)]);
    expect(newest).toEqual({
      ...{ creditedAt: expect.stringMatching(ISO), orderId: orders[0], invoiceId: null, merchantOrderId: '=1+1' },
      ...{ merchantInvoiceId: null, currency: 'USDT', network: 'ETH', amount: '25', fee: '0.25', net: '24.75' },
      ...{ fiatCurrency: 'EUR', rate: '0.925462962963', rateAt: expect.stringMatching(ISO) },
      ...{ fiatAmount: '23.14', fiatFee: '0.23', fiatNet: '22.91', reversedAt: null },
    });
    // The books had no currency yet.
    expect(items[2]).toMatchObject({ fiatCurrency: null, rate: null, fiatAmount: null });
  });

  it('answers pages, and those of a time', async () => {
    const first = await receipts('?limit=2');
    const rest = await receipts(`?limit=2&cursor=${first.pagination.nextCursor}`);
    expect([...first.items, ...rest.items].map(({ orderId }: Json) => orderId)).toEqual(orders);
    expect((await receipts('?endDate=2020-01-01')).items).toEqual([]);
    const since = first.items[1].creditedAt as string;
    expect((await receipts(`?startDate=${since}`)).items).toEqual(first.items);
  });

  it('is CSV on demand: the whole list, whatever the page, without ids', async () => {
    const { items } = await receipts();
    const lines = (items as Json[]).map((item) =>
      COLUMNS.map((name) => (item[name] === '=1+1' ? "'=1+1" : String(item[name] ?? ''))).join(','),
    );
    for (const query of ['', '&limit=1']) {
      const answer = await merchant.rest('GET', `/reports/receipts?format=csv${query}`);
      expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
      expect(answer.text).toBe(`${[COLUMNS.join(','), ...lines].join('\r\n')}\r\n`);
    }
    const nothing = await merchant.rest('GET', '/reports/receipts?format=csv&endDate=2020-01-01');
    expect(nothing.text).toBe(`${COLUMNS.join(',')}\r\n`);
  });

  it('is of the merchant who asks, and over GraphQL the same, narrowed to an order', async () => {
    await paid(shop);
    expect((await receipts('', await newMerchant(gateway))).items).toEqual([]);
    const query = 'query ($orderId: ID) { receipts(filter: { orderId: $orderId }) { nodes { orderId fiatNet } } }';
    const { body } = await merchant.graphql(query, { orderId: orders[1] });
    expect(body.data.receipts.nodes).toEqual([{ orderId: orders[1], fiatNet: '22.91' }]);
  });

  it('makes GET /reports say what came in in fiat, and without fiat=true changes nothing', async () => {
    const plain = await report('', merchant);
    expect(await report('?fiat=false', merchant)).toEqual({ ...plain, to: expect.any(String) });
    for (const row of plain.rows as object[]) expect(Object.keys(row)).toEqual(['period', ...SUMS]);
    const fiat = await report('?fiat=true', merchant);
    // One receipt has no value, and neither has their sum.
    expect(fiat.totals).toEqual([{ ...plain.totals[0], fiatCurrency: null, fiatGross: null }]);
    const valued = await newMerchant(gateway);
    dataOf(await valued.rest('PUT', '/merchant/settings', { accountingCurrency: 'EUR' }));
    await paid(valued);
    await paid(valued);
    const sums = { gross: '50', fiatCurrency: 'EUR', fiatGross: '46.28' };
    const whole = await report('?fiat=true', valued);
    expect(whole).toMatchObject({ totals: [sums], rows: [sums] });
    for (const row of whole.rows as object[])
      expect(Object.keys(row)).toEqual(['period', ...SUMS, 'fiatCurrency', 'fiatGross']);
    const csv = await valued.rest('GET', '/reports?fiat=true&format=csv');
    const [head, line] = csv.text.split('\r\n');
    expect(head).toBe(`period,${SUMS.join(',')},fiatCurrency,fiatGross`);
    expect(line).toMatch(/,EUR,46\.28$/);
    const years = await report('?fiat=true&startDate=2017-01-01', valued);
    expect(years).toMatchObject({ totals: [sums], rows: [sums] });
  });
});
