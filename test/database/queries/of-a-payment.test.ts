// The webhooks and refunds of one payment among many, on a real PostgreSQL: read without visiting rows of other
// payments.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { listDeliveries } from '../../../src/database/queries/webhooks/list-deliveries.ts';
import { listPayouts } from '../../../src/database/queries/payouts/list-payouts.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { visitedBy } from '../../support/visited-rows.ts';

const MERCHANT = 'mer_many';
const PAYMENTS = 3_000;
/** For each payment, this many changes are in the log, the last of which became a webhook. */
const CHANGES = 4;
/** One payment is sent again many times, and refunded in many parts. */
const BUSY = 'ord_00007';
const TIMES = 50;
const LIMIT = 21;

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
  const fill = (text: string, ...values: unknown[]) => pool.query(text, values);
  const payments = `(select n, 'ord_' || lpad(n::text, 5, '0') as id from generate_series(1, ${PAYMENTS}) as n) p`;
  const repeats = `generate_series(1, case when p.id = '${BUSY}' then ${TIMES} else 1 end) as t`;
  const nth = `lpad(((t - 1) * ${PAYMENTS} + n)::text, 9, '0')`;
  await fill(
    `insert into merchant (id, email, company_name, webhook_secret, created_at)
     select id, id, 'Shop', '', now() from unnest($1::text[]) as id`,
    [MERCHANT, 'mer_beside'],
  );
  await fill(
    `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
       derivation_index, status, version, tolerance_basis_points, late_payment_policy, required_confirmations, expires_at,
       created_at, updated_at)
     select id, $1, 'USDT', 'ETH', 1, id, id, $1, n, 'SUCCEEDED', 1, 0, 'ACCEPT', 1, now(), now(), now() from ${payments}`,
    MERCHANT,
  );
  await fill(
    `insert into event (id, merchant_id, payment_id, version, type, body, created_at, position)
     select 'evt_' || lpad(n::text, 5, '0') || '_' || v, $1, id, v, case v when $2 then 'payment.succeeded' else 'payment.updated' end,
       case v when $2 then '{}' end, now(), n * $2 + v
     from ${payments}, generate_series(1, $2::int) as v`,
    ...[MERCHANT, CHANGES],
  );
  await fill(
    `insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, resend, created_at)
     select 'dlv_' || ${nth}, 'evt_' || lpad(n::text, 5, '0') || '_' || $2::int, $1, false, 'x', 'https://shop.example',
       case t % 2 when 0 then 'FAILED' else 'SUCCESS' end, t, now()
     from ${payments}, ${repeats}`,
    ...[MERCHANT, CHANGES],
  );
  await fill(
    `insert into payout (id, kind, merchant_id, payment_id, currency, network, amount, network_fee, address, status,
       created_at, updated_at)
     select 'rfd_' || ${nth}, 'REFUND', $1, p.id, 'USDT', 'ETH', 1, 0, '0x1', 'COMPLETED', now(), now()
     from ${payments}, ${repeats}`,
    MERCHANT,
  );
  await fill('analyze');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The result of a list, and how many rows it visited. */
async function look<Item>(list: (asked: pg.Pool) => Promise<Item[]>): Promise<{ items: Item[]; visited: number }> {
  let statement: pg.QueryConfig | undefined;
  const noting = { query: (config: pg.QueryConfig) => pool.query((statement = config)) } as unknown as pg.Pool;
  const items = await list(noting);
  return { items, visited: statement ? await visitedBy(pool, statement) : Number.NaN };
}

type Narrowed = Omit<Parameters<typeof listDeliveries>[1], 'merchantId'>;
const deliveries = (filter: Narrowed, merchantId = MERCHANT) =>
  look((asked) => listDeliveries(asked, { merchantId, ...filter }, LIMIT));
const refunds = (paymentId: string | null, before: string | null, merchantId = MERCHANT) =>
  look((asked) => listPayouts(asked, { merchantId, kind: 'REFUND', paymentId }, { limit: LIMIT, before }));

describe('the deliveries of a payment', () => {
  it('are those of its events, newest first, narrowed and paged like all, and its merchant alone has them', async () => {
    const { items } = await deliveries({ paymentId: BUSY });
    expect(items).toHaveLength(LIMIT);
    expect(new Set(items.map(({ eventId }) => eventId))).toEqual(new Set([`evt_00007_${CHANGES}`]));
    const ids = items.map(({ deliveryId }) => deliveryId);
    expect(ids).toEqual([...ids].sort().reverse());
    const below = await deliveries({ paymentId: BUSY, before: ids.at(-1) ?? null, statuses: ['FAILED'] });
    expect(below.items.every(({ deliveryId }) => deliveryId < (ids.at(-1) ?? ''))).toBe(true);
    expect(new Set(below.items.map(({ status }) => status))).toEqual(new Set(['FAILED']));
    for (const eventId of ['evt_00008_4', 'evt_00007_1'])
      expect((await deliveries({ paymentId: BUSY, eventId })).items).toEqual([]);
    expect((await deliveries({ paymentId: BUSY }, 'mer_beside')).items).toEqual([]);
  });

  it('are found by looking at few rows, be there ever so many', async () => {
    for (let times = 0; times < 7; times += 1) {
      // By then PostgreSQL has settled on one plan for all payments.
      expect((await deliveries({ paymentId: 'ord_00100' })).visited).toBeLessThan(10);
      expect((await deliveries({ paymentId: BUSY })).visited).toBeLessThan(2 * TIMES + 5 * LIMIT);
      expect((await deliveries({ paymentId: 'ord_none' })).visited).toBe(0);
    }
  });
});

describe('the refunds of a payment', () => {
  it('are its own, newest first and paged, and its merchant alone has them', async () => {
    const { items } = await refunds(BUSY, null);
    expect(items.map(({ paymentId }) => paymentId)).toEqual(Array.from({ length: LIMIT }, () => BUSY));
    const ids = items.map(({ id }) => id);
    expect(ids).toEqual([...ids].sort().reverse());
    const below = await refunds(BUSY, ids.at(-1) ?? null);
    expect(below.items.map(({ id }) => id).filter((id) => ids.includes(id))).toEqual([]);
    expect((await refunds(BUSY, null, 'mer_beside')).items).toEqual([]);
    expect((await refunds(null, null)).items).toHaveLength(LIMIT);
  });

  it('are the end of an index, and so is a page of all refunds', async () => {
    for (let times = 0; times < 7; times += 1)
      for (const [paymentId, most] of [
        [BUSY, LIMIT],
        ['ord_00100', 1],
        ['ord_none', 0],
        [null, LIMIT],
      ] as const)
        expect((await refunds(paymentId, null)).visited).toBeLessThanOrEqual(most);
  });
});
