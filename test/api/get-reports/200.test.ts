// GET /reports: the calls that are answered with 200.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { gateway, moveTo, paid, RECIPIENT, report, shop, SUMS } from '../fixtures/reports.fixture.ts';
import { until, untilPasses } from '../../support/until.ts';
import { dataOf, expectKeys, ISO } from '../../support/expectations.ts';
import { type Json, newMerchant, type TestMerchant, USDT_PAYMENT } from '../../support/clients.ts';

describe('GET /reports: 200', () => {
  let merchant: TestMerchant;

  beforeAll(async () => {
    merchant = await newMerchant(gateway);
    for (const at of [
      '2025-12-28T23:59:59.999Z',
      '2025-12-29T00:00:00Z',
      '2026-01-01T00:00:00Z',
      '2026-01-31T12:00:00Z',
    ])
      await moveTo(at, await paid(merchant));
  });

  const periods = async (query: string) =>
    ((await report(`?startDate=2025-12-01&endDate=2026-01-31&${query}`, merchant)).rows as Json[]).map(
      ({ period, payments, gross }) => [period, payments, gross],
    );

  it('answers what came in, what it cost and what left, to the last unit', async () => {
    const merchant = await newMerchant(gateway);
    const orderId = await paid(merchant, {}, '25.000099');
    await paid(merchant, { amount: '0.5', currency: 'ETH' });
    await paid(merchant);
    dataOf(await merchant.rest('POST', `/payments/${orderId}/refund`, { address: RECIPIENT, amount: '1.5' }), 201);
    dataOf(
      await merchant.rest('POST', '/wallet/withdraw', {
        currency: 'USDT',
        network: 'ETH',
        amount: '7.25',
        address: RECIPIENT,
      }),
      201,
    );
    const usdt = {
      ...{ currency: 'USDT', network: 'ETH', payments: 2, gross: '50.000099', fees: '0.5', net: '49.500099' },
      ...{ refunded: '1.5', withdrawn: '7.25' },
    };
    await untilPasses(async () => expect((await report('', merchant)).totals).toContainEqual(usdt), 30_000);
    const { from, to, totals, rows } = await report('', merchant);
    expect([from, to]).toEqual([expect.stringMatching(ISO), expect.stringMatching(ISO)]);
    expect(totals).toEqual([
      {
        ...{ currency: 'ETH', network: 'ETH', payments: 1, gross: '0.5', fees: '0.005', net: '0.495' },
        refunded: '0',
        withdrawn: '0',
      },
      usdt,
    ]);
    for (const row of rows as object[]) expectKeys(row, ['period', ...SUMS]);
    const { balances } = dataOf(await merchant.rest('GET', '/wallet/balance'));
    expect((balances as Json[]).find(({ currency }) => currency === 'USDT').available).toBe('40.750099');
  });

  it('takes back what left the chain', async () => {
    const merchant = await newMerchant(gateway);
    const { orderId } = dataOf(await merchant.rest('POST', '/payments', USDT_PAYMENT), 201);
    const paid = dataOf(await merchant.rest('POST', `/sandbox/payments/${orderId}/deposit`));
    const mine = async () => {
      const { body } = await merchant.graphql('mutation { mineBlocks(input: { network: "ETH", count: 1 }) { tip } }');
      return body.data.mineBlocks.tip as number;
    };
    // The payouts of other test files on this gateway may add blocks at any time.
    await until(async () => {
      const depth = (await mine()) - (paid.transactions[0].blockNumber as number) + 1;
      const reorg = `mutation { simulateReorg(input: { network: "ETH", depth: ${depth} }) { tip } }`;
      expect((await merchant.graphql(reorg)).body.errors).toBeUndefined();
      const { transactions } = dataOf(await merchant.rest('GET', `/payments/${orderId}`));
      return transactions[0].status === 'ORPHANED';
    });
    await merchant.graphql('mutation { mineBlocks(input: { network: "ETH", count: 3 }) { tip } }');
    await untilPasses(async () => {
      const [sums] = (await report('', merchant)).totals as Json[];
      expect(sums).toMatchObject({ gross: '0', fees: '0', net: '0' });
    });
  });

  it('is of the merchant who asks and of nobody else', async () => {
    await paid(shop);
    const other = await newMerchant(gateway);
    expect(await report('', other)).toMatchObject({ totals: [], rows: [] });
  });

  describe('with a past', () => {
    it('goes by day unless said otherwise', async () => {
      const days = ['2025-12-28', '2025-12-29', '2026-01-01', '2026-01-31'].map((day) => [day, 1, '25']);
      expect(await periods('')).toEqual(days);
      expect(await periods('groupBy=day')).toEqual(days);
    });

    it('by ISO week, which a year may share', async () => {
      expect(await periods('groupBy=week')).toEqual([
        ['2025-W52', 1, '25'],
        ['2026-W01', 2, '50'],
        ['2026-W05', 1, '25'],
      ]);
    });

    it('by month', async () => {
      expect(await periods('groupBy=month')).toEqual([
        ['2025-12', 2, '50'],
        ['2026-01', 2, '50'],
      ]);
    });

    it('includes a last day and excludes a last instant', async () => {
      const count = async (query: string) => ((await report(query, merchant)).totals as Json[])[0]?.payments ?? 0;
      expect(await count('?startDate=2025-12-29&endDate=2026-01-01')).toBe(2);
      expect(await count('?startDate=2025-12-29&endDate=2026-01-01T00:00:00Z')).toBe(1);
    });

    it('is CSV on demand: the header in the documented order, CRLF, no byte-order mark', async () => {
      const answer = await merchant.rest(
        'GET',
        '/reports?startDate=2025-12-01&endDate=2026-01-31&groupBy=month&format=csv',
      );
      expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
      expect(answer.text).toBe(
        `period,${SUMS.join(',')}\r\n2025-12,USDT,ETH,2,50,0.5,49.5,0,0\r\n2026-01,USDT,ETH,2,50,0.5,49.5,0,0\r\n`,
      );
    });

    it.each(['day', 'week', 'month'])(
      'by %s is the same over REST as JSON and CSV, and over GraphQL, over years that are read in parts',
      async (unit) => {
        const query = `?startDate=2016-12-15T08:30:00Z&endDate=2026-11-30&groupBy=${unit}`;
        const json = await merchant.rest('GET', `/reports${query}`);
        const { rows } = dataOf(json);
        expect((rows as Json[]).length).toBeGreaterThan(1);
        const { body } = await merchant.graphql(
          `{ report(input: { startDate: "2016-12-15T08:30:00Z", endDate: "2026-11-30", groupBy: ${unit.toUpperCase()} }) {
            from to totals { ${SUMS.join(' ')} } rows { period ${SUMS.join(' ')} }
          } }`,
        );
        expect(json.text).toBe(JSON.stringify({ success: true, data: body.data['report'] }));
        expect(json.headers['content-type']).toBe('application/json; charset=utf-8');
        const { text } = await merchant.rest('GET', `/reports${query}&format=csv`);
        const lines = (rows as Json[]).map(
          (row) => `${['period', ...SUMS].map((name) => String(row[name])).join(',')}\r\n`,
        );
        expect(text).toBe(`period,${SUMS.join(',')}\r\n${lines.join('')}`);
      },
    );

    it('of one currency or network', async () => {
      expect((await report('?startDate=2025-12-01&currency=eth', merchant)).totals).toEqual([]);
      expect((await report('?startDate=2025-12-01&currency=usdt&network=erc20', merchant)).totals).toHaveLength(1);
    });
  });
});
