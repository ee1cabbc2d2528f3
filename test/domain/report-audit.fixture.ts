// The audit of a merchant's reports: they equal the merchant's deposits and payouts, however the report is divided.

import { expect } from '@jest/globals';
import { makeReport, type Report, type ReportSums } from '../../src/domain/ledger/reports.ts';
import { assetOf } from '../../src/values/assets.ts';
import { formatAmount, parseAmount } from '../../src/values/amount.ts';
import { START, type Setup } from './book.fixture.ts';

const AMOUNTS = ['gross', 'fees', 'net', 'refunded', 'withdrawn'] as const;
const UNITS = ['day', 'week', 'month'] as const;
const DAY_MS = 86_400_000;
const startDate = new Date(START.getTime() - 365 * DAY_MS).toISOString();
const endDate = new Date(START.getTime() + 365 * DAY_MS).toISOString();

/** Computed without the book: what deposits credited, and what the booked payouts paid out. */
const OTHERWISE = `
select currency, network, count(distinct payment_id) filter (where credits > 0)::int as payments,
  sum(amount) filter (where credited) as gross, sum(div(amount, 100)) filter (where credited) as fees,
  sum(amount) filter (where kind = 'REFUND') as refunded, sum(amount) filter (where kind = 'WITHDRAWAL') as withdrawn
from (
  select currency, network, payment_id, amount, credits, credited, null as kind from deposit where merchant_id = $1
  union all
  select currency, network, null, amount, 0, false, kind from payout
  where merchant_id = $1 and exists (select from ledger_transaction where reference = 'payout/' || payout.id)
) as what group by 1, 2`;

type Otherwise = Record<'currency' | 'network', string> &
  Record<'gross' | 'fees' | 'refunded' | 'withdrawn', string | null> & { payments: number };

/** Compares a merchant's reports with their deposits and payouts. */
export async function auditReports({ deps, sql }: Setup, merchantId: string): Promise<void> {
  const report = (request: object) => makeReport(deps, merchantId, { startDate, endDate, ...request });
  const rows = await sql<Otherwise>(OTHERWISE, [merchantId]);
  const { totals } = await report({});
  const expected = rows
    .filter(({ payments, refunded, withdrawn }) => (payments > 0 || refunded) ?? withdrawn)
    .map(toSums);
  expect(sorted(totals)).toEqual(sorted(expected));
  for (const groupBy of UNITS) {
    const grouped = await report({ groupBy });
    expect(grouped.totals).toEqual(totals);
    expect(addUp(grouped)).toEqual(addUp({ rows: totals }));
    const places = grouped.rows.map(({ period, network, currency }) => [period, network, currency].join());
    expect(places).toEqual([...new Set(places)].sort());
  }
  for (const day of new Set((await report({})).rows.map(({ period }) => period))) {
    const alone = await report({ startDate: day, endDate: day });
    const plain = alone.rows.map(({ period: _, ...sums }) => sums);
    expect(plain).toEqual(alone.totals);
    expect(alone.rows).toEqual((await report({})).rows.filter(({ period }) => period === day));
  }
}

function toSums({ currency, network, payments, ...units }: Otherwise): ReportSums {
  const { decimals } = assetOf({ currency, network });
  const of = (name: 'gross' | 'fees' | 'refunded' | 'withdrawn') => BigInt(units[name] ?? 0);
  const show = (amount: bigint) => formatAmount(amount, decimals);
  return {
    ...{ currency, network, payments, gross: show(of('gross')), fees: show(of('fees')) },
    ...{ net: show(of('gross') - of('fees')), refunded: show(of('refunded')), withdrawn: show(of('withdrawn')) },
    ...{ fiatCurrency: null, fiatGross: null },
  };
}

const sorted = (sums: readonly ReportSums[]) =>
  [...sums].sort((a, b) => (`${a.network} ${a.currency}` < `${b.network} ${b.currency}` ? -1 : 1));

/** The sum of each amount for each asset, over all rows, in base units. */
function addUp({ rows }: { rows: Report['totals'] }): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const row of rows)
    for (const name of AMOUNTS) {
      const key = `${row.currency} ${row.network} ${name}`;
      const text = row[name];
      const units = parseAmount(text.replace('-', ''), assetOf(row).decimals) ?? 0n;
      sums[key] = (sums[key] ?? 0n) + (text.startsWith('-') ? -units : units);
    }
  return sums;
}
