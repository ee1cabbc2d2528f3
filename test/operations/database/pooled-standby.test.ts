// PgBouncer in front of a primary whose synchronous standby is missing: the commits that are held back hold its
// connections to the server as well, calls are refused in time all the same, and what was asked for has one effect.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { expectRefusedInTime } from '../../gateway/database/refused-in-time.fixture.ts';
import { startPgBouncer, type PgBouncer } from '../../gateway/pgbouncer.fixture.ts';
import { newMerchant, rest, send, USDT_PAYMENT, type TestMerchant } from '../../support/clients.ts';
import { runSql } from '../../support/database/database.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { startDebianPostgres, type DebianPostgres } from '../debian-postgres.fixture.ts';

const LONG = 600_000;
const POOL = 4;
/** Connections of PgBouncer's to the server: fewer than the gateway has to it. */
const SERVER_POOL = 3;
/** Of callers that try again and again. */
const ROUNDS = 10;

let primary: DebianPostgres;
let standby: DebianPostgres;
let bouncer: PgBouncer;
let gateway: TestGateway;
let shop: TestMerchant;

beforeAll(async () => {
  primary = await startDebianPostgres();
  await primary.sql('create database turnpike');
  standby = await startDebianPostgres({ standbyOf: primary });
  await primary.sql(`alter system set synchronous_standby_names = '*'`);
  await primary.reload();
  await until(async () => {
    const rows = await primary.sql(`select 1 from pg_stat_replication where sync_state = 'sync'`);
    return rows.length === 1;
  }, LONG);
  bouncer = await startPgBouncer(primary.url('turnpike'), SERVER_POOL);
  const variables = {
    ...{ DATABASE_URL: bouncer.url, DATABASE_DIRECT_URL: primary.url('turnpike') },
    ...{ DATABASE_POOLER: 'true', DATABASE_PREPARED_STATEMENTS: 'false', DATABASE_POOL_MAX: String(POOL) },
  };
  gateway = await startTestGateway(variables, { patience: null });
  shop = await newMerchant(gateway);
}, LONG);
afterAll(async () => {
  await gateway?.stop();
  await bouncer?.stop();
  await standby?.remove();
  await primary?.remove();
}, LONG);

const order = (key: string) =>
  rest(gateway, shop.token)('POST', '/payments', { ...USDT_PAYMENT, merchantOrderId: key }, { 'idempotency-key': key });
const readiness = () => send({ method: 'GET', url: `${gateway.url}/readyz` });
const ofServer = <Row>(text: string) => runSql<Row>(primary.url('turnpike'), text);
const held = () =>
  ofServer(`select pid from pg_stat_activity
    where datname = 'turnpike' and (wait_event = 'SyncRep' or wait_event_type = 'Lock')`);

it(
  'calls are 503/9503 in time, nothing piles up on the server, and repeated they have one effect',
  async () => {
    const keys = Array.from({ length: 3 * POOL }, (_, nth) => `order-${String(nth)}`);
    expect((await order('before')).status).toBe(201);
    expect((await readiness()).status).toBe(200);

    await standby.stop();
    for (let round = 0; round < ROUNDS; round += 1) await expectRefusedInTime(gateway, keys.map(order));
    // PgBouncer forgets those whose callers were refused, and would open others without end.
    expect((await held()).length).toBeLessThanOrEqual(POOL + SERVER_POOL);
    await until(async () => {
      const { status, body } = await readiness();
      return status === 503 && body.faults.database === 'commits wait for a synchronous standby';
    }, LONG);
    expect(await ofServer(`select id from payment where merchant_order_id <> 'before'`)).toEqual([]);

    await standby.start();
    await until(async () => (await readiness()).status === 200, LONG);
    for (const key of keys) await until(async () => (await order(key)).status === 201, LONG);
    const twice = `select merchant_order_id from payment group by 1 having count(*) > 1`;
    expect(await ofServer(twice)).toEqual([]);
  },
  LONG,
);
