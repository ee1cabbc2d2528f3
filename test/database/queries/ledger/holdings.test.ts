// Finding the largest deposit addresses reads the same number of pages however many addresses there ever were.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { findHolders, LARGEST_HOLDERS } from '../../../../src/database/queries/ledger/holdings.ts';
import { createSetup, type Setup } from '../../../domain/book.fixture.ts';

const LIMIT = 200;

let setup: Setup;

beforeAll(async () => {
  setup = await createSetup();
});
afterAll(() => setup.stop());

/**
 * Paid orders, of which every tenth address still holds its deposit, and as many gap addresses; those before `from`
 * exist already.
 */
async function fill(shop: string, from: number, to: number): Promise<void> {
  await setup.sql(
    `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
       derivation_index, test, tolerance_basis_points, late_payment_policy, required_confirmations, expires_at, created_at,
       updated_at, status, version)
     select 'ord_h' || lpad(n::text, 9, '0'), $1, 'USDT', 'ETH', 1, '0xh' || n, '0xh' || n, 'evm', n, false, 0, 'ACCEPT', 2,
       now(), now(), now(), 'SUCCEEDED', 1
     from generate_series($2::int, $3::int - 1) n`,
    [shop, from, to],
  );
  await setup.sql(
    `insert into holding select 'ord_h' || lpad(n::text, 9, '0'), 'ETH', 'USDT', case when n % 10 = 0 then n + 1 else 0 end
     from generate_series($1::int, $2::int - 1) n`,
    [from, to],
  );
  await setup.sql(
    `insert into gap_address (id, account, index, address_key)
     select 'gap_h' || n, 'evm', 1000000 + n, '0xg' || n from generate_series($1::int, $2::int - 1) n`,
    [from, to],
  );
  await setup.sql(
    `insert into holding select 'gap_h' || n, 'ETH', 'USDT', n + 1 from generate_series($1::int, $2::int - 1) n
     where n % 10 = 5`,
    [from, to],
  );
  await setup.sql('analyze payment, gap_address, holding');
}

async function pagesRead(): Promise<number> {
  const statement = LARGEST_HOLDERS.replace('$1', `'ETH'`).replace('$2', `'USDT'`).replace('$3', String(LIMIT));
  const [row] = await setup.sql<{ 'QUERY PLAN': readonly [{ Plan: Record<string, number> }] }>(
    `explain (analyze, buffers, timing off, format json) ${statement}`,
  );
  const plan = row?.['QUERY PLAN'][0].Plan ?? {};
  return (plan['Shared Hit Blocks'] ?? NaN) + (plan['Shared Read Blocks'] ?? NaN);
}

it('with ten times as many addresses it reads at most twice as many pages, and finds the largest', async () => {
  const shop = await setup.merchant();
  await fill(shop, 0, 20_000);
  const few = await pagesRead();
  await fill(shop, 20_000, 200_000);
  const many = await pagesRead();
  expect(few).toBeGreaterThan(0);
  expect(many).toBeLessThanOrEqual(2 * few);
  // A few pages for each address that is found, and none for the others.
  expect(many).toBeLessThanOrEqual(10 * LIMIT);
  const found = await findHolders(setup.deps.db.em, 'ETH', 'USDT', LIMIT);
  const largest = Array.from({ length: LIMIT }, (_, nth) => 199_995 - 5 * nth);
  expect(found.map(({ index }) => index)).toEqual(largest.map((nth) => (nth % 10 === 0 ? nth : 1_000_000 + nth)));
});
