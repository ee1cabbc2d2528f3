// Two API processes that read from a replica, beside the process that does everything else: what one has changed, and
// what merchants are told by webhooks, is in the lists of the others at once.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { connectDatabase } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { withReplicas } from '../../../src/gateway/replicas/open-replicas.ts';
import { closeReceivers } from '../../dispatch/receivers.fixture.ts';
import { receiveWebhooks } from '../../dispatch/webhook-receiver.fixture.ts';
import { newMerchant, rest, send, USDT_PAYMENT, type TestMerchant } from '../../support/clients.ts';
import { createServers, type OwnServer } from '../../support/database/replica.ts';
import { dataOf } from '../../support/expectations.ts';
import { until, untilPasses } from '../../support/until.ts';
import { openApiProcesses, type ApiProcess, type ApiProcesses } from '../processes/api-processes.fixture.ts';

const LONG = 240_000;
const WRITERS = 6;
const ROUNDS = 15;

const servers = createServers();
let primary: OwnServer;
let standby: OwnServer;
let processes: ApiProcesses;
let apis: ApiProcess[];
let shop: TestMerchant;

beforeAll(async () => {
  primary = await servers.primary();
  const db = await connectDatabase({ url: primary.url(), poolMax: 2, log: pino({ level: 'silent' }) });
  await migrate(db).finally(() => db.close());
  standby = await servers.replicaOf(primary);
  processes = await openApiProcesses({ DATABASE_URL: primary.url(), DATABASE_READ_URLS: standby.url() });
  apis = [await processes.launch(), await processes.launch()];
  shop = await newMerchant(processes.gateway);
  for (const api of apis) await until(async () => (await readsOf(api, '/payments')).replica === 1);
}, LONG);
afterAll(async () => {
  await closeReceivers();
  await processes.stop();
  await servers.close();
}, LONG);

const asked = (api: Pick<ApiProcess, 'url'>) => rest(api, shop.token);

async function countsOf({ url }: Pick<ApiProcess, 'url'>) {
  const { text } = await send({ method: 'GET', url: `${url}/metrics` });
  const of = (server: string) =>
    [...text.matchAll(new RegExp(`^turnpike_replica_reads_total\\{server="${server}".*\\} (\\d+)$`, 'gm'))]
      .map(([, count]) => Number(count))
      .reduce((sum, count) => sum + count, 0);
  return { replica: of('replica'), primary: of('primary') };
}

/** Who answers the reads of a call. */
async function readsOf(api: ApiProcess, path: string) {
  const before = await countsOf(api);
  dataOf(await asked(api)('GET', path));
  const after = await countsOf(api);
  return { replica: after.replica - before.replica, primary: after.primary - before.primary };
}

it(
  'what is made in one process is in the lists of another at once',
  async () => {
    const missed: string[] = [];
    const writer = async (name: number) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const [writes, reads] = round % 2 === 0 ? apis : apis.toReversed();
        const merchantOrderId = `order-${String(name)}-${String(round)}`;
        const order = { ...USDT_PAYMENT, merchantOrderId };
        const { orderId } = dataOf(await asked(writes as ApiProcess)('POST', '/payments', order), 201);
        const newest = dataOf(await asked(reads as ApiProcess)('GET', '/payments?limit=100'));
        const found = dataOf(await asked(reads as ApiProcess)('GET', `/payments?merchantOrderId=${merchantOrderId}`));
        for (const { items } of [newest, found] as { items: { orderId: string }[] }[])
          if (!items.some((item) => item.orderId === orderId)) missed.push(merchantOrderId);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, name) => writer(name)));
    expect(missed).toEqual([]);
  },
  LONG,
);

it(
  'what a webhook tells is in the list of any process',
  async () => {
    const hooks = await receiveWebhooks();
    dataOf(await shop.rest('PUT', '/merchant/webhook', { url: hooks.url }));
    const { orderId } = dataOf(await shop.rest('POST', '/payments', { ...USDT_PAYMENT, merchantOrderId: 'told' }), 201);
    dataOf(await shop.rest('POST', `/sandbox/payments/${String(orderId)}/deposit`), 200);
    let known = 0;
    const isToldOfEnd = async () => {
      if (hooks.received.length === known) return false;
      known = hooks.received.length;
      const told = hooks.received.map(({ body }) => JSON.parse(body.toString()) as { type: string });
      const lists = await Promise.all(apis.map((api) => asked(api)('GET', '/payments?merchantOrderId=told')));
      const listed = lists.map((list) => (dataOf(list) as { items: { status: string }[] }).items[0]?.status);
      const isOver = told.some(({ type }) => type === 'payment.succeeded');
      if (isOver) expect(listed).toEqual(['SUCCEEDED', 'SUCCEEDED']);
      return isOver;
    };
    await until(isToldOfEnd, LONG);
  },
  LONG,
);

it.each([
  '/payments',
  '/invoices',
  '/wallet/balance',
  '/wallet/withdrawals',
  '/webhooks/deliveries',
  '/merchant/api-logs',
  '/reports',
  '/reports/receipts',
  '/reports/movements',
])('%s is read from the replica, once it is quiet', async (path) => {
  const [api] = apis;
  await untilPasses(async () => {
    const { replica, primary: others } = await readsOf(api as ApiProcess, path);
    expect({ isRead: replica > 0, others }).toEqual({ isRead: true, others: 0 });
  });
});

it('without the setting, and in processes that read no lists, the database stays as it is', async () => {
  const { config, deps } = processes.gateway;
  const { replicas, ...db } = deps.db;
  expect(replicas).toBeDefined();
  const parts = { registry: new Registry() } as Parameters<typeof withReplicas>[2];
  expect(await withReplicas({ ...config, databaseReadUrls: [] }, db, parts)).toBe(db);
  expect(await withReplicas({ ...config, roles: new Set(['observer']) }, db, parts)).toBe(db);
});

it(
  'calls go on while the replica is away, and it is read from again when it is back',
  async () => {
    const [api] = apis as [ApiProcess];
    await standby.stop();
    for (let nth = 0; nth < 20; nth += 1) {
      const made = dataOf(
        await asked(api)('POST', '/payments', { ...USDT_PAYMENT, merchantOrderId: `away-${String(nth)}` }),
        201,
      );
      const { items } = dataOf(await asked(api)('GET', '/payments?limit=1')) as { items: { orderId: string }[] };
      expect(items[0]?.orderId).toBe(made.orderId);
    }
    await standby.start();
    await until(async () => (await readsOf(api, '/payments')).replica === 1);
  },
  LONG,
);
