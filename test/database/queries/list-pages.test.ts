// Pages of deliveries, API logs, payouts and events on a real PostgreSQL: every page reads a range of one index, and
// the plan is kept, whatever filters are set.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { listApiLog, type ApiLogFilter } from '../../../src/database/queries/list-api-log.ts';
import { listDeliveries, type DeliveryListFilter } from '../../../src/database/queries/webhooks/list-deliveries.ts';
import { listEvents } from '../../../src/database/queries/events/list-events.ts';
import { listPayouts, type PayoutListFilter } from '../../../src/database/queries/payouts/list-payouts.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { countKept, visitedBy } from '../../support/visited-rows.ts';

const MANY = 20_000;
const LIMIT = 21;
const merchantId = 'mer_many';

const place = (n: number) => String(n).padStart(6, '0');
const at = (n: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + n * 60_000);
const ID = "lpad(n::text, 6, '0')";
const AT = "timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute'";

/**
 * One row a minute, from 1 for the oldest, and as many of another merchant, who has the states that this one lacks.
 * Rare values are among the oldest.
 */
const ROWS = [
  `insert into webhook_delivery (id, event_id, merchant_id, is_primary, lane, url, status, attempts, created_at)
   select 'dlv_' || ${ID}, 'evt_' || (n + 1) / 2, '${merchantId}', true, 'shop', 'https://shop.example/' || n,
     case when n <= 3 then 'DISABLED' when n % 10 = 0 then 'FAILED' else 'SUCCESS' end, 1, ${AT}
   from generate_series(1, ${MANY}) n
   union all
   select 'dlv_' || ${ID} || 'x', 'evt_x' || n, 'mer_beside', true, 'shop', 'https://other.example', 'RETRYING', 1, ${AT}
   from generate_series(1, ${MANY}) n`,
  `insert into api_log (merchant_id, request_id, at, method, path, status, duration_ms, ip)
   select merchant, n, ${AT}, 'GET', '/', 200, 1, '203.0.113.7'
   from generate_series(1, ${MANY}) n, unnest(array['${merchantId}', 'mer_beside', null]) merchant`,
  `insert into payout (id, kind, payment_id, merchant_id, currency, network, amount, network_fee, address, status, created_at, updated_at)
   select prefix || ${ID} || suffix, kind, case kind when 'REFUND' then 'ord_' || n / 10 || suffix end, merchant, 'USDT', 'ETH', 1, 0, '0x', 'COMPLETED', ${AT}, ${AT}
   from generate_series(1, ${MANY}) n, (values ('${merchantId}', ''), ('mer_beside', 'x')) as m(merchant, suffix),
     (values ('wdr_', 'WITHDRAWAL'), ('rfd_', 'REFUND')) as k(prefix, kind)`,
  `insert into event (id, merchant_id, payment_id, type, sequence, position, body, created_at)
   select 'evt_' || n || case nth when 2 then 'y' else '' end, merchant, 'ord_' || n / 2, 'payment.created', n,
     2 * n + nth, '{}', ${AT}
   from generate_series(1, ${MANY}) n, unnest(array['${merchantId}', 'mer_beside']) with ordinality as m(merchant, nth)`,
  'analyze webhook_delivery, api_log, payout, event',
];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  // Without foreign keys, because the rows belong to payments and events that do not exist.
  await client.query('set session_replication_role = replica');
  try {
    for (const statement of ROWS) await client.query(statement);
  } finally {
    await client.end();
  }
});
afterAll(() => database.drop());

/** A page: its filter, how many rows it has, and how many rows it may visit. */
interface Page {
  readonly what: string;
  readonly table: string;
  readonly read: (pool: pg.Pool) => Promise<readonly unknown[]>;
  readonly has: number;
  readonly most: number;
}

function deliveries(what: string, filter: Omit<DeliveryListFilter, 'merchantId'>, has: number, most = has): Page {
  const read = (pool: pg.Pool) => listDeliveries(pool, { merchantId, ...filter }, LIMIT);
  return { what: `deliveries, ${what}`, table: 'webhook_delivery', read, has, most };
}

function calls(what: string, filter: Partial<ApiLogFilter>, has: number): Page {
  const all = { merchantId, from: null, until: null, before: null };
  const read = (pool: pg.Pool) => listApiLog(pool, { ...all, ...filter }, LIMIT);
  return { what: `API log, ${what}`, table: 'api_log', read, has, most: has };
}

function payouts(what: string, filter: Omit<PayoutListFilter, 'merchantId'>, before: string | null, has: number): Page {
  const read = (pool: pg.Pool) => listPayouts(pool, { merchantId, ...filter }, { limit: LIMIT, before });
  return { what, table: 'payout', read, has, most: has };
}

function events(what: string, after: number, has: number): Page {
  const read = (pool: pg.Pool) => listEvents(pool, merchantId, after, LIMIT);
  return { what: `events, ${what}`, table: 'event', read, has, most: has };
}

/** A cursor of the API log, after the given call. */
const after = (n: number) => `${at(n).toISOString()}|0`;

// A filter of several states merges as many deliveries of each.
const PAGES: readonly Page[] = [
  deliveries('all', {}, LIMIT, 2 * LIMIT + 3),
  deliveries('from a cursor in the middle', { before: `dlv_${place(MANY / 2)}` }, LIMIT, 2 * LIMIT + 3),
  deliveries('from a cursor at the end', { before: `dlv_${place(3)}` }, 2),
  deliveries('below the oldest', { before: `dlv_${place(1)}` }, 0),
  deliveries('a frequent state', { statuses: ['SUCCESS'] }, LIMIT),
  deliveries('a state from a cursor', { statuses: ['FAILED'], before: `dlv_${place(100)}` }, 9),
  deliveries('a state of the three oldest', { statuses: ['DISABLED'] }, 3),
  deliveries("a state that only another merchant's have", { statuses: ['RETRYING'] }, 0),
  deliveries('two states', { statuses: ['FAILED', 'DISABLED'] }, LIMIT, LIMIT + 3),
  deliveries('states that do not occur', { statuses: ['PENDING', 'RETRYING'] }, 0),
  deliveries('an event', { eventId: 'evt_50' }, 2),
  deliveries('an event from a cursor', { eventId: 'evt_50', before: `dlv_${place(100)}` }, 1, 2),
  deliveries('an event in a state', { eventId: 'evt_50', statuses: ['FAILED'] }, 1, 2),
  deliveries("another merchant's event", { eventId: 'evt_x50' }, 0, 1),
  deliveries('an unknown event', { eventId: 'evt_0' }, 0),
  deliveries('a payment', { paymentId: 'ord_7' }, 4),
  deliveries('a payment in a state', { paymentId: 'ord_7', statuses: ['FAILED'] }, 1, 4),
  deliveries('a payment from a cursor', { paymentId: 'ord_7', before: `dlv_${place(29)}` }, 2, 4),
  deliveries('an unknown payment', { paymentId: 'ord_x' }, 0),
  calls('all', {}, LIMIT),
  calls('from a cursor', { before: after(MANY / 2) }, LIMIT),
  calls('from a cursor at the end', { before: after(4) }, 3),
  calls('of days', { from: at(500), until: at(1_000) }, LIMIT),
  calls('of days from a cursor', { from: at(500), until: at(1_000), before: after(510) }, 10),
  calls('since a day', { from: at(MANY - 9) }, 10),
  calls('until a day', { until: at(6) }, 5),
  calls('of days that nothing came in', { from: at(-500), until: at(-100) }, 0),
  calls('of days after a cursor', { from: at(500), until: at(1_000), before: after(400) }, 0),
  payouts('withdrawals, all', { kind: 'WITHDRAWAL' }, null, LIMIT),
  payouts('withdrawals from a cursor', { kind: 'WITHDRAWAL' }, `wdr_${place(MANY / 2)}`, LIMIT),
  payouts('withdrawals from a cursor at the end', { kind: 'WITHDRAWAL' }, `wdr_${place(4)}`, 3),
  payouts('withdrawals below the oldest', { kind: 'WITHDRAWAL' }, `wdr_${place(1)}`, 0),
  payouts('refunds, all', { kind: 'REFUND' }, null, LIMIT),
  payouts('refunds of a payment', { kind: 'REFUND', paymentId: 'ord_1' }, null, 10),
  payouts('refunds of a payment from a cursor', { kind: 'REFUND', paymentId: 'ord_1' }, `rfd_${place(14)}`, 4),
  payouts('refunds of a payment that has none', { kind: 'REFUND', paymentId: 'ord_x' }, null, 0),
  events('all', 0, LIMIT),
  events('after one in the middle', MANY / 2, LIMIT),
  events('after nearly all', MANY - 5, 5),
  events('after the last', MANY, 0),
];

describe.each(['auto', 'force_custom_plan', 'force_generic_plan'])('with the plans of %s', (mode) => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = new pg.Pool({ connectionString: database.url, max: 1, options: `-c plan_cache_mode=${mode}` });
  });
  afterAll(() => pool.end());

  it.each(PAGES)('$what: no row is looked at in vain', async ({ read, table, has, most }) => {
    const asked: pg.QueryConfig[] = [];
    const listening = {
      query: (config: pg.QueryConfig) => {
        asked.push(config);
        return pool.query(config);
      },
    } as unknown as pg.Pool;
    // After five executions PostgreSQL decides whether to keep a generic plan.
    for (let time = 0; time < 6; time += 1) expect(await read(listening)).toHaveLength(has);
    const [statement] = asked;
    if (!statement) throw new Error('Nothing was asked of the database');
    expect(await visitedBy(pool, statement, [table])).toBeLessThanOrEqual(most);
    if (mode === 'auto') expect(await countKept(pool, statement)).toBeGreaterThan(0);
  });
});
