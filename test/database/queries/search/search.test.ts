// The search on a real PostgreSQL: it finds by the beginning of each text what a look at every row would find, and
// reads no more of many rows than of few.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { countNewest, countPayments } from '../../../../src/database/queries/payments/count-payments.ts';
import { listPayments } from '../../../../src/database/queries/payments/list-payments.ts';
import { searchPayments } from '../../../../src/database/queries/search/payments.ts';
import { newId } from '../../../../src/values/id.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/database.ts';

const MERCHANT = 'mer_many';
const BESIDE = 'mer_beside';
const MANY = 20_000;
const START = Date.parse('2026-01-01T00:00:00Z');

interface Row {
  readonly id: string;
  readonly reference: string | null;
  readonly product: string | null;
  readonly email: string | null;
  readonly status: string;
  readonly exception: string | null;
  /** In base units; an order is over 100. */
  readonly received: number;
  readonly refunded: number;
}

const PRODUCTS = [
  'Assam, two tins',
  'assam first flush',
  'Yixing teapot',
  'Äpfel',
  '100 % Darjeeling',
  `${'x'.repeat(70)}y`,
];
const rows: readonly Row[] = Array.from({ length: MANY }, (_, nth) => ({
  id: newId('ord', START + nth * 1_000),
  reference: nth % 7 === 0 ? null : `${nth % 2 === 0 ? 'KC' : 'kc'}-${nth}`,
  product: nth % 3 === 0 ? null : (PRODUCTS[nth % PRODUCTS.length] ?? null),
  email: nth % 5 === 0 ? `Customer${nth % 50}@Example.org` : null,
  status: ['SUCCEEDED', 'EXPIRED', 'SUCCEEDED', 'PENDING'][nth % 4] ?? '',
  // Few, and in the middle: too much of which the excess is there, or was given back; too late; and gone again.
  exception: nth >= 9_000 && nth < 9_020 && nth % 4 === 0 ? 'OVERPAID' : nth === 9_002 ? 'REORGED' : null,
  received: nth >= 9_000 && nth < 9_020 ? 130 : 0,
  refunded: nth % 8 === 0 || nth === 9_001 ? 130 : 0,
}));

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
  await pool.query(
    `insert into merchant (id, email, company_name, webhook_secret, created_at)
     select id, id, 'Shop', '', now() from unnest($1::text[]) as id`,
    [[MERCHANT, BESIDE]],
  );
  for (const [merchantId, each] of [
    [MERCHANT, rows],
    [BESIDE, rows.map((row) => ({ ...row, id: newId('ord', START) }))],
  ] as const)
    await pool.query(
      `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
         derivation_index, status, exception, version, merchant_order_id, product_name, customer_email,
         tolerance_basis_points, late_payment_policy, required_confirmations, amount_received, amount_refunded,
         expires_at, created_at, updated_at)
       select id, $1::text, 'USDT', 'ETH', 100, id, id, $1, n, status, exception, 1, reference, product, email, 0,
         'ACCEPT', 1, received, refunded, now(), now(), now()
       from rows from (json_to_recordset($2) as (id text, reference text, product text, email text, status text,
         exception text, received int, refunded int)) with ordinality
         as r(id, reference, product, email, status, exception, received, refunded, n)`,
      [merchantId, JSON.stringify(each)],
    );
  await pool.query(
    `insert into deposit (id, network, tx_hash, ordinal, payment_id, merchant_id, currency, amount, status, seen_at, late)
     select 'dep_' || id, 'ETH', 'one of many', n, id, merchant_id, 'USDT', 1, 'ORPHANED', now(), false
     from unnest($1::text[]) with ordinality as p(payment_id, n) join payment on id = payment_id`,
    [[rows[3]?.id, rows[4]?.id]],
  );
  await pool.query('analyze payment');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const NOTHING = { id: null, addresses: [], hashes: [], networks: ['ETH', 'SOL'] };
const search = async (text: string, more = {}, limit = 30_000) =>
  (await searchPayments(pool, { merchantId: MERCHANT, text, ...NOTHING, ...more }, limit)).map(
    ({ payment }) => payment.id,
  );
const begins = (value: string | null, text: string) => value?.toLowerCase().startsWith(text.toLowerCase()) ?? false;
const matching = (text: string) =>
  rows
    .filter(
      (row) =>
        begins(row.reference, text) || begins(row.email, text) || begins(row.product?.slice(0, 64) ?? null, text),
    )
    .map(({ id }) => id);

describe('a search', () => {
  it('finds what begins with the text in any case, of this merchant alone, newest first', async () => {
    const known = fc.constantFrom(
      ...rows.slice(0, 500).flatMap(({ reference, email, product }) => [reference, email, product]),
    );
    const piece = fc
      .tuple(
        known.filter((text) => text !== null),
        fc.nat(12),
        fc.boolean(),
      )
      .map(([text, length, isUpper]) => (isUpper ? text.toUpperCase() : text).slice(0, 4 + length));
    let found = 0;
    await fc.assert(
      fc.asyncProperty(piece, async (text) => {
        const expected = new Set(matching(text));
        const ids = await search(text, {}, 101);
        expect(ids).toEqual([...ids].sort().reverse());
        expect(ids.filter((id) => !expected.has(id))).toEqual([]);
        if (expected.size <= 101) expect(ids).toHaveLength(expected.size);
        else expect(ids).toHaveLength(101);
        found += ids.length;
      }),
      { numRuns: 60 },
    );
    expect(found).toBeGreaterThan(1_000);
  });

  it.each(['%', '_', 'KC-1_', "'; drop table payment", '\\', 'KC-1%', 'C-1', '100 %'])(
    'takes %j as it is',
    async (text) => {
      expect(await search(text, {}, 101)).toHaveLength(Math.min(101, matching(text).length));
    },
  );

  it('finds ids by their beginning, addresses and transactions whole', async () => {
    const [third = '', fourth = ''] = [rows[3]?.id, rows[4]?.id];
    expect(await search(third, { id: third })).toEqual([third]);
    const alike = rows.filter(({ id }) => id.startsWith(third.slice(0, 11))).map(({ id }) => id);
    expect(await search('-', { id: third.slice(0, 11) })).toEqual(alike.reverse().slice(0, 101));
    expect(
      await search('-', {
        addresses: [
          { account: MERCHANT, key: third },
          { account: BESIDE, key: third },
        ],
      }),
    ).toEqual([third]);
    expect(await search('-', { hashes: ['unknown', 'one of many'] })).toEqual([fourth, third]);
    expect(await search('-', { hashes: ['one of many'], merchantId: BESIDE })).toEqual([]);
  });

  it.each(['KC-', 'assam', 'customer', 'nobody'])(
    '%j reads as few rows of twenty thousand as it must',
    async (text) => {
      for (let time = 0; time < 6; time += 1) await search(text, {}, 11);
      const before = await readRows();
      await search(text, {}, 11);
      expect((await readRows()) - before).toBeLessThan(400);
    },
  );
});

/** How many rows of payments were read by indexes or otherwise, of this connection too. */
async function readRows(): Promise<number> {
  await pool.query('select pg_stat_force_next_flush()');
  const { rows: found } = await pool.query<{ read: string }>(
    `select seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes where relname = 'payment') as read
     from pg_stat_user_tables where relname = 'payment'`,
  );
  return Number(found[0]?.read);
}

describe('what waits for its merchant', () => {
  const waits = ({ status, exception, received, refunded }: Row) =>
    exception === 'REORGED' ||
    (exception === 'OVERPAID' && received - refunded > 100) ||
    (status === 'EXPIRED' && received > refunded);
  const waiting = rows
    .filter(waits)
    .map(({ id }) => id)
    .reverse();

  it('is listed: too much, too late and what is gone, unless it was given back', async () => {
    expect(waiting.length).toBeGreaterThan(5);
    const listed = await listPayments(pool, { merchantId: MERCHANT, needsAttention: true }, 101);
    expect(listed.map(({ payment }) => payment.id)).toEqual(waiting);
    const expired = { merchantId: MERCHANT, needsAttention: true, statuses: ['EXPIRED'] };
    expect((await listPayments(pool, expired, 101)).every(({ payment }) => payment.status === 'EXPIRED')).toBe(true);
    const others = { merchantId: MERCHANT, needsAttention: true, merchantOrderId: 'kc-1' };
    expect(await listPayments(pool, others, 101)).toEqual([]);
  });

  it('is counted with the others, to a thousand and no further', async () => {
    const always = { from: null, until: null };
    expect(await countPayments(pool, MERCHANT, always)).toEqual({
      ...{ all: 1_000, open: 1_000, paid: 1_000, unpaid: 1_000 },
      waiting: waiting.length,
    });
    const minute = { from: new Date(START + 60_000), until: new Date(START + 120_000) };
    expect(await countPayments(pool, MERCHANT, minute)).toEqual({
      all: 60,
      open: 15,
      paid: 30,
      unpaid: 15,
      waiting: 0,
    });
    expect(await countNewest(pool, MERCHANT, minute)).toEqual({ paid: 30, unpaid: 15 });
    expect(await countNewest(pool, MERCHANT, always)).toEqual({ paid: 500, unpaid: 250 });
  });
});
