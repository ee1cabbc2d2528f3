// What an attacker's payouts have cost: one line each, compared with the cost limit and with the fee that was charged.

import { expect } from '@jest/globals';
import type { Setup } from '../../domain/book.fixture.ts';
import { formatAmount } from '../../../src/values/amount.ts';
import { assetOf, NETWORKS, type Network } from '../../../src/values/assets.ts';

interface Line {
  readonly id: string;
  readonly status: string;
  readonly held: string | null;
  readonly currency: string;
  /** What the chain took or may still take, in base units of the coin. */
  readonly cost: string;
  readonly signed: number;
  /** The network fee that was kept, in base units of its currency. */
  readonly fee: string;
}

interface BillOptions {
  readonly network: Network;
  readonly maxCost: bigint;
  /** What a payout was for, by its id. */
  readonly names: ReadonlyMap<string, string>;
  /** Base units of the coin that one base unit of a currency is worth on the day of the test, as a fraction. */
  readonly worth: (currency: string) => readonly [numerator: bigint, denominator: bigint];
}

/**
 * Adds up all that was signed for each payout, prints the table, and checks each line: never more than the limit, and
 * never more than its fee brought if a transaction of its own was signed.
 */
export async function holdBill(setup: Setup, { network, maxCost, names, worth }: BillOptions): Promise<void> {
  const lines = await setup.sql<Line>(
    `select o.id, o.status, o.held_reason as held, o.currency,
       (select coalesce(sum(units), 0) from (
         select max(case when t.status in ('REPLACED', 'EXPIRED') then 0 else coalesce(t.cost, t.max_cost) end) as units
         from transfer t where t.payout_id = o.id or t.for_payout_id = o.id group by t.sender_key, t.nonce) p)::text as cost,
       (select count(*)::int from transfer t where t.payout_id = o.id) as signed,
       (case when o.status = 'COMPLETED' or exists (
         select 1 from transfer t where t.payout_id = o.id and t.status = 'FAILED') then o.network_fee else 0 end)::text as fee
     from payout o where network = $1 order by o.id`,
    [network],
  );
  const { coin, coinDecimals } = NETWORKS[network];
  const mostUnits = lines.reduce((most, { cost }) => (BigInt(cost) > most ? BigInt(cost) : most), 0n);
  expect(lines.map(({ id }) => id)).toEqual(expect.arrayContaining([...names.keys()]));
  const rows = lines.map((line) => {
    const { decimals } = assetOf({ currency: line.currency, network });
    const cost = `${formatAmount(BigInt(line.cost), coinDecimals)} ${coin}`;
    const fee = `${formatAmount(BigInt(line.fee), decimals)} ${line.currency}`;
    return [names.get(line.id) ?? line.id, line.held ?? line.status, cost.padStart(26), fee.padStart(12)];
  });
  const text = rows.map(([what = '', state = '', ...figures]) =>
    [what.padEnd(60), state.padEnd(16), ...figures].join(' '),
  );
  const head = `${network}: at most ${formatAmount(maxCost, coinDecimals)} ${coin}; the dearest took ${formatAmount(mostUnits, coinDecimals)}`;
  process.stdout.write(`${[head, ...text].join('\n')}\n`);
  for (const { id, cost, signed, fee, currency, status } of lines) {
    const what = names.get(id) ?? id;
    expect([what, BigInt(cost) <= maxCost]).toEqual([what, true]);
    // The gateway's own first payout has the one-time cost of opening its accounts; it is not the attacker's.
    if (!names.has(id)) continue;
    const [numerator, denominator] = worth(currency);
    const isOver = signed > 0 && status !== 'BROADCAST';
    const isCovered = BigInt(cost) * denominator <= BigInt(fee) * numerator;
    if (isOver) expect([what, cost, fee, isCovered]).toEqual([what, cost, fee, true]);
  }
}
