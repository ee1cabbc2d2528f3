// Pages of payments on a real PostgreSQL: correct for every filter, and read without visiting other rows.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import {
  listPayments,
  pageOf,
  type PaymentListFilter,
} from '../../../../src/database/queries/payments/list-payments.ts';
import { firstIdOf, isId, newId } from '../../../../src/values/id.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/database.ts';
import { countKept, visitedBy } from '../../../support/visited-rows.ts';

const MERCHANT = 'mer_many';
const MANY = 20_000;
const LIMIT = 21;
const START = Date.parse('2026-01-01T00:00:00Z');
const MINUTE_MS = 60_000;

interface Row {
  readonly id: string;
  readonly at: number;
  readonly status: string;
  readonly currency: string;
  readonly network: string;
  readonly reference: string | null;
}

/**
 * Most kinds are common, some are rare and among the oldest, and the rest do not occur. Two payments come each minute.
 */
const rows: readonly Row[] = Array.from({ length: MANY }, (_, nth) => {
  const at = START + Math.floor(nth / 2) * MINUTE_MS;
  const currency = nth < 30 ? 'BNB' : nth % 3 === 0 ? 'USDC' : 'USDT';
  return {
    ...{ id: newId('ord', at), at, currency, network: nth < 30 ? 'BSC' : nth % 5 === 0 ? 'POLYGON' : 'ETH' },
    status: nth < 3 ? 'PARTIALLY_PAID' : (['SUCCEEDED', 'SUCCEEDED', 'EXPIRED', 'CANCELED'][nth % 4] ?? ''),
    reference: nth % 7 === 0 ? null : nth % 500 === 1 ? 'shared' : `order-${nth}`,
  };
});
const newestFirst = [...rows].sort((a, b) => (a.id < b.id ? 1 : -1));

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
  await pool.query(
    `insert into merchant (id, email, company_name, webhook_secret, created_at)
     select id, id, 'Shop', '', now() from unnest($1::text[]) as id`,
    [[MERCHANT, 'mer_beside']],
  );
  // The other merchant has the kinds that this one lacks.
  for (const [merchantId, each, status] of [
    [MERCHANT, rows, null],
    ['mer_beside', rows.map((row) => ({ ...row, id: newId('ord', row.at) })), 'FAILED'],
  ] as const)
    await pool.query(
      `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
         derivation_index, status, version, merchant_order_id, tolerance_basis_points, late_payment_policy,
         required_confirmations, expires_at, created_at, updated_at)
       select id, $1::text, currency, network, 1, id, id, $1, n, coalesce($3, status), 1, reference, 0, 'ACCEPT', 1, now(),
         to_timestamp(at / 1000.0), now()
       from rows from (json_to_recordset($2) as (id text, at float, status text, currency text, network text, reference text))
         with ordinality as r(id, at, status, currency, network, reference, n)`,
      [merchantId, JSON.stringify(each), status],
    );
  await pool.query('analyze payment');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

type Filter = Omit<PaymentListFilter, 'merchantId'>;

function expected({ statuses, currency, network, merchantOrderId, from, until, before }: Filter): string[] {
  const matches = newestFirst.filter(
    (row) =>
      (!statuses?.length || statuses.includes(row.status)) &&
      (currency == null || row.currency === currency) &&
      (network == null || row.network === network) &&
      (merchantOrderId == null || row.reference === merchantOrderId) &&
      (from == null || row.at >= from.getTime()) &&
      (until == null || row.at < until.getTime()) &&
      (before == null || row.id < before),
  );
  return matches.slice(0, LIMIT).map(({ id }) => id);
}

const maybe = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { freq: 2 });
const instant = fc.option(
  fc.integer({ min: -2 * MINUTE_MS, max: (MANY / 2 + 2) * MINUTE_MS }).map((ms) => new Date(START + ms)),
);
const filter = fc.record({
  statuses: fc.option(
    fc.array(fc.constantFrom('SUCCEEDED', 'EXPIRED', 'CANCELED', 'PARTIALLY_PAID', 'FAILED', 'PENDING'), {
      maxLength: 4,
    }),
  ),
  currency: maybe('USDT', 'USDC', 'BNB', 'ETH'),
  network: maybe('ETH', 'POLYGON', 'BSC', 'SOL'),
  merchantOrderId: fc.option(fc.constantFrom('shared', 'order-33', 'nobody'), { freq: 1 }),
  from: instant,
  until: instant,
  before: fc.option(fc.nat(MANY - 1).map((nth) => rows[nth]?.id ?? '')),
}) as fc.Arbitrary<Filter>;

describe('a page of payments', () => {
  it('has the newest of those that are wanted, in their order, whatever narrows it', async () => {
    const read = async (narrowed: Filter) =>
      (await listPayments(pool, { merchantId: MERCHANT, ...narrowed }, LIMIT)).map(({ payment }) => payment['id']);
    let found = 0;
    await fc.assert(
      fc.asyncProperty(filter, async (narrowed) => {
        const ids = await read(narrowed);
        expect(ids).toEqual(expected(narrowed));
        found += ids.length;
      }),
      { numRuns: 300 },
    );
    expect(found).toBeGreaterThan(500);
  });

  it('begins and ends at the instants of its dates, to the millisecond', async () => {
    const at = rows[1_000]?.at ?? 0;
    const count = async (from: number, until: number) =>
      (await listPayments(pool, { merchantId: MERCHANT, from: new Date(from), until: new Date(until) }, LIMIT)).length;
    expect(await count(at, at + 1)).toBe(2);
    expect(await count(at + 1, at + MINUTE_MS)).toBe(0);
    expect(await count(at - MINUTE_MS, at)).toBe(2);
  });
});

/**
 * Filters, and how many payments their page may visit: each of its own twice, and as many of each kind that it merges.
 */
const COSTS: readonly (readonly [what: string, filter: Filter, most: number])[] = [
  ['all', {}, 2 * LIMIT],
  ['the oldest', { before: firstIdOf('ord', START + 5 * MINUTE_MS) }, 2 * LIMIT],
  ['none below the oldest', { before: firstIdOf('ord', START) }, 0],
  ['a frequent state', { statuses: ['SUCCEEDED'] }, 6 * LIMIT],
  ['a state of the three oldest', { statuses: ['PARTIALLY_PAID'] }, 6],
  ["a state that only another merchant's have", { statuses: ['FAILED'] }, 0],
  ['two states that do not occur', { statuses: ['PENDING', 'REFUNDED'] }, 0],
  ['a currency of the thirty oldest', { currency: 'BNB' }, 4 * LIMIT],
  ['a network without payments', { network: 'SOL' }, 0],
  ['kinds that are frequent each but never together', { statuses: ['PARTIALLY_PAID'], currency: 'USDT' }, 0],
  ['one reference', { merchantOrderId: 'order-33' }, 2],
  ['an unknown reference', { merchantOrderId: 'nobody' }, 0],
  [
    'days in the middle',
    { from: new Date(START + 100 * MINUTE_MS), until: new Date(START + 200 * MINUTE_MS) },
    2 * LIMIT,
  ],
  ['days that nothing came in', { from: new Date(START - 200 * MINUTE_MS), until: new Date(START) }, 0],
];

describe.each(['auto', 'force_custom_plan', 'force_generic_plan'])('with the plans of %s', (mode) => {
  beforeAll(async () => {
    await pool.end();
    pool = new pg.Pool({ connectionString: database.url, max: 1, options: `-c plan_cache_mode=${mode}` });
  });

  it.each(COSTS)('%s: no payment is looked at in vain', async (_, narrowed, most) => {
    // After five executions PostgreSQL decides whether to keep a generic plan.
    for (let time = 0; time < 6; time += 1) await listPayments(pool, { merchantId: MERCHANT, ...narrowed }, LIMIT);
    const page = pageOf({ merchantId: MERCHANT, ...narrowed }, LIMIT);
    expect(await visitedBy(pool, page, ['payment'])).toBeLessThanOrEqual(most);
    if (mode === 'auto') expect(await countKept(pool, page)).toBeGreaterThan(0);
  });
});

it('the first id of an instant is one, and below every id of the instant', () => {
  const first = firstIdOf('ord', START);
  expect(isId('ord', first)).toBe(true);
  expect(first < newId('ord', START)).toBe(true);
  expect(newId('ord', START - 1) < first).toBe(true);
});
