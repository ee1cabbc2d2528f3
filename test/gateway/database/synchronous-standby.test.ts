// The synchronous standby is missing: PostgreSQL holds every commit back, for as long as it takes. Calls are refused in
// time, nothing piles up, /readyz says why, and what was asked for has one effect when the standby is back.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { newMerchant, rest, send, USDT_PAYMENT, type TestMerchant } from '../../support/clients.ts';
import { createServers, type OwnServer } from '../../support/database/replica.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { expectRefusedInTime } from './refused-in-time.fixture.ts';

const LONG = 240_000;
const POOL = 4;

const servers = createServers();
let primary: OwnServer;
let standby: OwnServer;
let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  primary = await servers.primary();
  const db = await connectDatabase({ url: primary.url(), poolMax: 2, log: pino({ level: 'silent' }) });
  await migrate(db).finally(() => db.close());
  standby = await servers.replicaOf(primary);
  await primary.sql(`alter system set synchronous_standby_names = '*'`);
  await primary.sql('select pg_reload_conf()');
  await until(async () => {
    const rows = await primary.sql(`select 1 from pg_stat_replication where sync_state = 'sync'`);
    return rows.length === 1;
  });
  const variables = { DATABASE_URL: primary.url(), DATABASE_POOL_MAX: String(POOL) };
  gateway = await startTestGateway(variables, { patience: null });
  shop = await newMerchant(gateway);
}, LONG);
afterAll(async () => {
  await gateway.stop();
  await servers.close();
}, LONG);

const order = (key: string) =>
  rest(gateway, shop.token)('POST', '/payments', { ...USDT_PAYMENT, merchantOrderId: key }, { 'idempotency-key': key });
const readiness = () => send({ method: 'GET', url: `${gateway.url}/readyz` });
const backends = async () => {
  const [row] = await primary.sql<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity where application_name like 'turnpike%'`,
  );
  return row?.count ?? 0;
};

it(
  'calls are 503/9503 in time, nothing piles up, and repeated they have one effect',
  async () => {
    const keys = Array.from({ length: 3 * POOL }, (_, nth) => `order-${String(nth)}`);
    const { orderId } = dataOf(await order('before'), 201) as { orderId: string };
    const cancel = () => rest(gateway, shop.token)('DELETE', `/payments/${orderId}`);
    expect((await readiness()).status).toBe(200);

    await standby.stop();
    await expectRefusedInTime(gateway, keys.map(order));
    expect(await readiness()).toMatchObject({
      status: 503,
      body: { status: 'not ready', faults: { database: 'commits wait for a synchronous standby' } },
    });
    // The same again, behind the locks of the first, and others.
    await expectRefusedInTime(gateway, [...keys, 'another', 'yet another'].map(order));
    await expectRefusedInTime(gateway, [...keys.map(order), cancel(), cancel()]);
    // One more is there for a moment when the server is asked.
    expect(await backends()).toBeLessThanOrEqual(POOL + 1);
    expect(await primary.sql(`select id from payment where merchant_order_id <> 'before'`)).toEqual([]);

    await standby.start();
    await until(async () => (await readiness()).status === 200);
    for (const key of [...keys, 'another']) await until(async () => ((await order(key)).status === 201 ? true : null));
    await cancel();
    expect(dataOf(await rest(gateway, shop.token)('GET', `/payments/${orderId}`))).toMatchObject({
      status: 'CANCELED',
    });
    const counted = await primary.sql<{ id: string; count: number }>(
      `select merchant_order_id as id, count(*)::int as count from payment group by 1 having count(*) > 1`,
    );
    expect(counted).toEqual([]);
    const [all] = await primary.sql<{ count: number }>('select count(*)::int as count from payment');
    expect(all?.count).toBeGreaterThanOrEqual(keys.length + 2);
  },
  LONG,
);
