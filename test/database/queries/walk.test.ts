// Calls and deliveries that are looked for among many, on a real PostgreSQL: a page reads a bounded number of rows
// however rare what it looks for is, and the pages together have all of it, each once, newest first.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  API_LOG_STEPS,
  apiLogWalkOf,
  searchApiLog,
  type ApiLogSearch,
} from '../../../src/database/queries/list-api-log.ts';
import {
  DELIVERY_STEPS,
  deliveryWalkOf,
  searchDeliveries,
  type DeliveryListFilter,
} from '../../../src/database/queries/webhooks/list-deliveries.ts';
import { pageOfWalk } from '../../../src/database/queries/walk.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { countKept, visitedBy } from '../../support/visited-rows.ts';

const CALLS = 25_000;
const DELIVERIES = 12_000;
const LIMIT = 20;
const merchantId = 'mer_many';
const ID = "lpad(n::text, 32, '0')";
const AT = "timestamptz '2026-01-01T00:00:00Z' + n * interval '1 minute'";

/** One row a minute, from 1 for the oldest, and as many of another merchant. */
const ROWS = [
  `insert into api_log (merchant_id, request_id, at, key_id, method, path, status, error_code, duration_ms, ip)
   select merchant, n, ${AT}, case when n % 5 = 0 then null when n = 7 then 'pk_rare' else 'pk_often' end,
     case when n % 2 = 0 then 'GET' else 'POST' end, '/api/v1/' || case when n % 1000 = 0 then 'wallet' else 'payments' end,
     case when n % 500 = 0 then 404 when n % 700 = 0 then 500 else 200 end,
     case when n % 500 = 0 then '2004' when n % 900 = 0 then '2001' end, 1, '203.0.113.7'
   from generate_series(1, ${CALLS}) n, unnest(array['${merchantId}', 'mer_beside']) merchant`,
  `insert into event (id, merchant_id, type, created_at)
   select 'evt_' || n, '${merchantId}', case when n % 400 = 0 then 'payment.failed' else 'payment.succeeded' end, ${AT}
   from generate_series(1, ${DELIVERIES}) n`,
  `insert into webhook_delivery (id, event_id, merchant_id, endpoint_id, is_primary, lane, url, status, attempts, created_at)
   select 'dlv_' || ${ID}, 'evt_' || n, '${merchantId}', case when n in (3, 5000) then 'whk_rare' else 'whk_often' end, true,
     'shop', 'https://shop.example/', case when n % 10 = 0 then 'FAILED' else 'SUCCESS' end, 1, ${AT}
   from generate_series(1, ${DELIVERIES}) n`,
  'analyze webhook_delivery, api_log, event',
];

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
  // Without foreign keys, because the rows belong to merchants that do not exist.
  await pool.query('set session_replication_role = replica');
  for (const statement of ROWS) await pool.query(statement);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const NO_CALL: ApiLogSearch = {
  ...{ merchantId, from: null, until: null, before: null, keyId: null, method: null, statusClass: null },
  ...{ path: null, errorCode: null, source: null },
};

/** What is looked for, in SQL as well, and how many pages it takes at most. */
const SEARCHES: readonly (readonly [what: string, search: Partial<ApiLogSearch>, sql: string, pages: number])[] = [
  ['a key of one call, long ago', { keyId: 'pk_rare' }, "key_id = 'pk_rare'", 3],
  ['a key of no call', { keyId: 'pk_none' }, 'false', 3],
  ['calls without a key', { source: 'SESSION', method: 'POST' }, "key_id is null and method = 'POST'", 130],
  ['a path', { path: '/api/v1/wal' }, "path like '/api/v1/wal%'", 4],
  ['a path with marks of patterns', { path: '/api/v1/wal%' }, 'false', 3],
  ['an error', { errorCode: '2004' }, "error_code = '2004'", 4],
  ['an error of no call', { errorCode: '9999' }, 'false', 1],
  ['failures of the gateway', { statusClass: 5 }, 'status >= 500', 4],
  ['successes', { statusClass: 2, path: '/api/v1/wallet' }, "status < 300 and path like '%wallet'", 4],
  ['successes with an error', { errorCode: '2001', statusClass: 2 }, "status < 300 and error_code = '2001'", 3],
];

describe('calls that are looked for', () => {
  it.each(SEARCHES)('%s: all are found, each once, newest first', async (_, search, sql, pages) => {
    const found: string[] = [];
    let before: string | null = null;
    let read = 0;
    do {
      const page = await searchApiLog(pool, { ...NO_CALL, ...search, before }, LIMIT);
      found.push(...page.rows.map(({ requestId }) => requestId));
      before = page.next;
      read += 1;
    } while (before !== null && read < 200);
    const { rows } = await pool.query<{ n: string }>(
      `select request_id as n from api_log where merchant_id = $1 and ${sql} order by at desc`,
      [merchantId],
    );
    expect(found).toEqual(rows.map(({ n }) => n));
    expect(read).toBeLessThanOrEqual(pages);
  });

  it.each(SEARCHES)('%s: a page reads a bounded number of rows, by a plan that is kept', async (_, search) => {
    const walk = apiLogWalkOf({ ...NO_CALL, ...search }, LIMIT + 1);
    for (let times = 0; times < 7; times += 1) await pool.query(walk);
    expect(await visitedBy(pool, walk, ['api_log'])).toBeLessThanOrEqual(API_LOG_STEPS);
    expect(await countKept(pool, walk)).toBeGreaterThan(0);
  });

  it('what is frequent is found without the rest of the walk, and what failed among what failed', async () => {
    const often = apiLogWalkOf({ ...NO_CALL, keyId: 'pk_often' }, LIMIT + 1);
    expect(await visitedBy(pool, often, ['api_log'])).toBeLessThan(2 * LIMIT);
    const failed = apiLogWalkOf({ ...NO_CALL, errorCode: '9999' }, LIMIT + 1);
    expect(await visitedBy(pool, failed, ['api_log'])).toBeLessThan(120);
  });
});

type Narrowed = Omit<DeliveryListFilter, 'merchantId'>;
const DELIVERY_SEARCHES: readonly (readonly [what: string, filter: Narrowed, sql: string])[] = [
  ['an endpoint of few', { endpointId: 'whk_rare' }, "endpoint_id = 'whk_rare'"],
  ['an endpoint of none', { endpointId: 'whk_none' }, 'false'],
  ['an endpoint of most', { endpointId: 'whk_often' }, "endpoint_id = 'whk_often'"],
  ['a type', { eventType: 'payment.failed' }, 'n % 400 = 0'],
  ['a type that failed', { eventType: 'payment.succeeded', statuses: ['FAILED'] }, 'n % 10 = 0 and n % 400 > 0'],
];

describe('deliveries that are looked for', () => {
  it.each(DELIVERY_SEARCHES)('%s: all are found, each once, newest first', async (_, filter, sql) => {
    const found: string[] = [];
    let before: string | null = null;
    let read = 0;
    do {
      const page = await searchDeliveries(pool, { merchantId, ...filter, before }, 100);
      found.push(...page.rows.map(({ deliveryId }) => deliveryId));
      before = page.next;
      read += 1;
    } while (before !== null && read < 200);
    const { rows } = await pool.query<{ id: string }>(
      `select id from (select *, substr(id, 5)::int as n from webhook_delivery where merchant_id = $1) d where ${sql} order by id desc`,
      [merchantId],
    );
    expect(found).toEqual(rows.map(({ id }) => id));
  });

  it.each(DELIVERY_SEARCHES)('%s: a page reads a bounded number of rows', async (_, filter) => {
    for (const steps of ['near', 'far'] as const) {
      const walk = deliveryWalkOf({ merchantId, ...filter }, LIMIT + 1, steps);
      for (let times = 0; times < 7; times += 1) await pool.query(walk);
      // Each state is read from its own part of the index, and two occur; the page's own rows are read once more.
      const most = 2 * DELIVERY_STEPS[steps] + LIMIT;
      expect(await visitedBy(pool, walk, ['webhook_delivery'])).toBeLessThanOrEqual(most);
    }
  });

  it('since and until are ranges of ids, and bound what is looked at', async () => {
    const [since, until] = [new Date('2999-01-01'), new Date('2999-01-02')];
    const walk = deliveryWalkOf({ merchantId, endpointId: 'whk_often', since, until }, LIMIT + 1, 'far');
    expect(await visitedBy(pool, walk, ['webhook_delivery'])).toBe(0);
  });
});

describe('the page of a walk', () => {
  const row = (id: string, fits: boolean, isEnd = false) => ({ id, fits, isEnd });
  it.each([
    ['nothing is left', [row('a', true)], ['a'], null],
    ['one more fits', [row('a', true), row('b', true), row('c', true)], ['a', 'b'], 'b'],
    ['the walk ended in vain', [row('z', false, true)], [], 'z'],
    ['the walk ended with one that fits', [row('a', true), row('b', true, true)], ['a', 'b'], 'b'],
    ['the walk ended below a full page', [row('a', true), row('b', true), row('z', false, true)], ['a', 'b'], 'z'],
    ['the walk ended with one more', [row('a', true), row('b', true), row('c', true, true)], ['a', 'b'], 'b'],
  ])('%s', (_, walked, ids, next) => {
    const page = pageOfWalk(walked, 2);
    expect([page.rows.map(({ id }) => id), page.next]).toEqual([ids, next]);
  });
});
