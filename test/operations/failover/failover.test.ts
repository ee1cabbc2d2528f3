// The primary is killed under load, its standby is promoted, and HAProxy leads to it. Nothing acknowledged is lost
// where the standby is synchronous. Where it lagged, what is lost is counted, and no call fails for addresses of ranges
// that the new primary does not know.

import { randomBytes } from 'node:crypto';
import { afterEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { startAnvil } from '../../../src/sandbox/evm/anvil.ts';
import { cutOffReplica } from '../../../scripts/postgres-copies.ts';
import { newMerchant, rest, type TestMerchant } from '../../support/clients.ts';
import { runSql } from '../../support/database/database.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { startDebianPostgres, type DebianPostgres } from '../debian-postgres.fixture.ts';
import { CHECK_ACCESS, CHECK_ROLE, startDatabaseProxy, type DatabaseProxy } from './haproxy.fixture.ts';

const LONG = 600_000;
const CALLERS = 6;
const ORDER = { amount: '0.1', currency: 'ETH', network: 'ETH' };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
}, LONG);

interface Deployment {
  readonly primary: DebianPostgres;
  readonly standby: DebianPostgres;
  readonly proxy: DatabaseProxy;
  /** One with every role, and one more of the api role. */
  readonly gateways: readonly [TestGateway, TestGateway];
  readonly shop: TestMerchant;
}

async function deploy(settings: readonly string[]): Promise<Deployment> {
  const access = [CHECK_ACCESS];
  const primary = await startDebianPostgres({ access });
  ends.push(() => primary.remove());
  await primary.sql(CHECK_ROLE);
  await primary.sql('create database turnpike');
  const standby = await startDebianPostgres({ access, standbyOf: primary });
  ends.push(() => standby.remove());
  for (const setting of settings) await primary.sql(`alter system set ${setting}`);
  await primary.reload();
  const proxy = await startDatabaseProxy([primary, standby]);
  ends.push(() => proxy.stop());
  const anvil = await startAnvil({ log: pino({ level: 'silent' }) });
  ends.push(() => anvil.stop());
  const common = {
    ...{ DATABASE_URL: proxy.url, ETH_RPC_URL: anvil.url, SANDBOX_NETWORKS: '' },
    TURNPIKE_SECRET: randomBytes(32).toString('hex'),
  };
  const start = async (own: Readonly<Record<string, string>>) => {
    const gateway = await startTestGateway({ ...common, ...own });
    ends.push(() => gateway.stop());
    return gateway;
  };
  const gateways = [await start({}), await start({ ROLES: 'api' })] as const;
  return { primary, standby, proxy, gateways, shop: await newMerchant(gateways[0]) };
}

/** Orders, each with a key of its own, until it is stopped; what was answered to them. */
function createOrders({ gateways, shop }: Deployment) {
  const acknowledged: { id: string; address: string }[] = [];
  const statuses = new Map<number, number>();
  let stopped = false;
  const call = async (nth: number) => {
    const api = rest(gateways[nth % 2] as TestGateway, shop.token);
    while (!stopped) {
      const key = randomBytes(12).toString('hex');
      const answer = await api('POST', '/payments', ORDER, { 'idempotency-key': key });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status !== 201) continue;
      const { orderId, address } = answer.body.data as { orderId: string; address: string };
      acknowledged.push({ id: orderId, address });
    }
  };
  const callers = Array.from({ length: CALLERS }, (_, nth) => call(nth));
  return {
    acknowledged,
    statuses,
    stop: async () => {
      stopped = true;
      await Promise.all(callers);
    },
  };
}

type Orders = ReturnType<typeof createOrders>;

/** Waits for so many more orders to be acknowledged. */
async function untilMore({ acknowledged }: Orders, count: number): Promise<void> {
  const before = acknowledged.length;
  await until(() => acknowledged.length >= before + count, LONG);
}

/** Kills the primary, promotes the standby, and waits for orders to be taken again. */
async function failOver({ primary, standby }: Deployment, orders: Orders): Promise<void> {
  const startedAt = performance.now();
  await primary.kill();
  await standby.sql('select pg_promote()');
  await untilMore(orders, 1);
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stdout.write(`orders are taken again ${seconds} s after the primary was killed\n`);
  await untilMore(orders, 200);
}

/** How many acknowledged orders the new primary does not have. */
async function countLost({ proxy }: Deployment, { acknowledged, statuses }: Orders): Promise<number> {
  const rows = await runSql<{ id: string }>(proxy.url, 'select id from payment');
  const stored = new Set(rows.map(({ id }) => id));
  const lost = acknowledged.filter(({ id }) => !stored.has(id)).length;
  const answers = JSON.stringify(Object.fromEntries(statuses));
  process.stdout.write(`${lost} of ${acknowledged.length} acknowledged orders were lost; answers: ${answers}\n`);
  return lost;
}

/** No call was answered with anything but an order or a refusal, and no address was given to two orders. */
function expectNoFault({ acknowledged, statuses }: Orders): void {
  expect([...statuses.keys()].filter((status) => ![201, 503].includes(status))).toEqual([]);
  expect(new Set(acknowledged.map(({ address }) => address)).size).toBe(acknowledged.length);
}

it(
  'loses nothing that was acknowledged where the standby is synchronous',
  async () => {
    const deployment = await deploy([`synchronous_standby_names = '*'`]);
    const orders = createOrders(deployment);
    await untilMore(orders, 300);
    await failOver(deployment, orders);
    await orders.stop();
    expect(await countLost(deployment, orders)).toBe(0);
    expectNoFault(orders);
  },
  LONG,
);

it(
  'loses what an asynchronous standby had not received, and hands out no address of it again',
  async () => {
    const deployment = await deploy([]);
    const { primary, standby } = deployment;
    const orders = createOrders(deployment);
    await untilMore(orders, 100);
    // It has all of these, and receives no more.
    await cutOffReplica(standby.sql, primary.sql, until);
    await untilMore(orders, 200);
    await failOver(deployment, orders);
    await orders.stop();
    expect(await countLost(deployment, orders)).toBeGreaterThanOrEqual(200);
    expectNoFault(orders);
    // The merchant asks for an order that is lost and for one that is not.
    const api = rest(deployment.gateways[0], deployment.shop.token);
    const rows = await runSql<{ id: string }>(deployment.proxy.url, 'select id from payment');
    const stored = new Set(rows.map(({ id }) => id));
    const lost = orders.acknowledged.find(({ id }) => !stored.has(id));
    expect((await api('GET', `/payments/${String(lost?.id)}`)).status).toBe(404);
    expect((await api('GET', `/payments/${String(orders.acknowledged.at(-1)?.id)}`)).status).toBe(200);
  },
  LONG,
);
