// The audit of a merchant's movements: in either order, page by page, they add up to the merchant's balances.

import { expect } from '@jest/globals';
import { readBalances } from '../../src/domain/ledger/ledger.ts';
import { findMovements, type Movement, type MovementFilter } from '../../src/domain/ledger/movements.ts';
import { parseAmount } from '../../src/values/amount.ts';
import { assetOf } from '../../src/values/assets.ts';
import type { Setup } from './book.fixture.ts';

/** Reads a whole list, by pages of so many. */
export async function readMovements(
  { deps }: Pick<Setup, 'deps'>,
  merchantId: string,
  { limit = 100, oldestFirst = false, ...filter }: MovementFilter & { limit?: number; oldestFirst?: boolean } = {},
): Promise<Movement[]> {
  const all: Movement[] = [];
  for (let before: string | null = null; ;) {
    const page = await findMovements(deps, merchantId, filter, { limit, before, oldestFirst });
    expect(page.nodes.length).toBeLessThanOrEqual(limit);
    all.push(...page.nodes);
    before = page.nodes.at(-1)?.id ?? null;
    if (!page.hasMore) return all;
  }
}

/** What came to a place less what left it, by asset, in base units. */
export function balancesOf(movements: readonly Movement[], place: string): Record<string, bigint> {
  const sums: Record<string, bigint> = {};
  for (const { from, to, amount, currency, network } of movements) {
    const units = parseAmount(amount, assetOf({ currency, network }).decimals);
    if (units === null) throw new Error(`${amount} is no amount`);
    const name = `${currency}/${network}`;
    sums[name] = (sums[name] ?? 0n) + (to === place ? units : 0n) - (from === place ? units : 0n);
  }
  return sums;
}

/** Compares a merchant's movements with their balances, and the two orders with each other. */
export async function auditMovements(setup: Setup, merchantId: string): Promise<void> {
  const newest = await readMovements(setup, merchantId, { limit: 7 });
  const { now } = setup.deps.clock;
  const endDate = new Date(now().getTime() + 1).toISOString();
  expect(await readMovements(setup, merchantId, { limit: 3, oldestFirst: true, endDate })).toEqual(newest.toReversed());
  expect(new Set(newest.map(({ id }) => id)).size).toBe(newest.length);
  const [available, reserved] = [balancesOf(newest, 'available'), balancesOf(newest, 'reserved')];
  for (const { currency, network, ...balance } of await readBalances(setup.deps.db.em, merchantId)) {
    const name = `${currency}/${network}`;
    expect([name, available[name] ?? 0n, reserved[name] ?? 0n]).toEqual([name, balance.available, balance.reserved]);
  }
}
