// The database under running gateways is replaced by an older copy of itself: no address that was given out is given
// out again.

import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase } from '../../src/database/connection.ts';
import { migrate } from '../../src/database/migrate.ts';
import { listClusterChanges } from '../../src/domain/witness/cluster.ts';
import { startAnvil } from '../../src/sandbox/evm/anvil.ts';
import { newMerchant, rest, type TestMerchant } from '../support/clients.ts';
import { makeTestFolder } from '../support/database/database.ts';
import { earliestIndex } from '../support/derivation-indexes.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { startPostgresProxy } from '../support/proxies/postgres-proxy.ts';
import { createServers, cutOff, promote } from '../support/database/replica.ts';
import { until } from '../support/until.ts';

jest.setTimeout(180_000);

const ORDER = { amount: '0.1', currency: 'ETH', network: 'ETH' };
const log = pino({ level: 'silent' });

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
});

async function start(overrides: Readonly<Record<string, string>> = {}): Promise<TestGateway> {
  const gateway = await startTestGateway(overrides);
  ends.push(() => gateway.stop());
  return gateway;
}

/** Creates orders, fifty at once; returns their addresses. */
async function createOrders(shop: TestMerchant, count: number): Promise<string[]> {
  const addresses: string[] = [];
  while (addresses.length < count) {
    const some = Array.from({ length: Math.min(50, count - addresses.length) });
    const answers = await Promise.all(some.map(() => shop.rest('POST', '/payments', ORDER)));
    expect(answers.filter(({ status }) => status !== 201).map(({ text }) => text)).toEqual([]);
    addresses.push(...answers.map(({ body }) => (body.data as { address: string }).address));
  }
  return addresses;
}

/** The same, once the gateway has reconnected to the database. */
async function createOrdersAgain(shop: TestMerchant, count: number): Promise<string[]> {
  const first = await until(async () => {
    const { status, body } = await shop.rest('POST', '/payments', ORDER).catch(() => ({ status: 0, body: null }));
    return status === 201 && (body.data as { address: string }).address;
  });
  return [first, ...(await createOrders(shop, count - 1))];
}

/** The addresses that occur more than once. */
const twice = (addresses: readonly string[]) =>
  addresses.filter((address, place) => addresses.indexOf(address) !== place);

const highest = async (gateway: TestGateway) => {
  const [row] = await gateway.sql<{ index: number }>(
    'select coalesce(max(derivation_index), -1)::float8 as index from payment',
  );
  return row?.index ?? NaN;
};

describe('an adopted copy', () => {
  it('gives a hundred orders that are made meanwhile addresses of its own, and fails none of them', async () => {
    const gateway = await start();
    const shop = await newMerchant(gateway);
    // So many at once that this process reserves a range ahead of its use.
    const before = await createOrders(shop, 100);
    const last = await highest(gateway);
    const [meanwhile] = await Promise.all([
      createOrders(shop, 100),
      gateway.sql(`update cluster_identity set system_identifier = 'another'`),
    ]);
    await until(async () => (await listClusterChanges(gateway.deps.db.em)).some(({ kind }) => kind === 'ADOPTION'));
    const after = await createOrders(shop, 20);
    expect(twice([...before, ...meanwhile, ...after])).toEqual([]);
    const [row] = await gateway.sql<{ least: number }>(
      'select min(derivation_index)::float8 as least from payment where address = any($1)',
      [after],
    );
    expect(row?.least).toBeGreaterThanOrEqual(last + 1_000_000 - 512);
  });

  it('is a replica that lagged: what its lost primary handed out comes from no process again', async () => {
    const servers = createServers();
    ends.push(() => servers.close());
    const primary = await servers.primary();
    const db = await connectDatabase({ url: primary.url(), poolMax: 2, log });
    await migrate(db);
    await db.close();
    const replica = await servers.replicaOf(primary);
    const proxy = await startPostgresProxy(primary.url());
    ends.push(() => proxy.stop());
    const anvil = await startAnvil({ log });
    ends.push(() => anvil.stop());
    const common = {
      DATABASE_URL: proxy.url,
      ETH_RPC_URL: anvil.url,
      TURNPIKE_SECRET: randomBytes(32).toString('hex'),
    };
    const api = { ...common, ROLES: 'api' };
    const one = await start(common);
    const other = await start(api);
    const shop = await newMerchant(one);
    const shopThere = { ...shop, rest: rest(other, shop.token) };
    // Both hold ranges that they have not used up.
    const kept = [...(await createOrders(shop, 40)), ...(await createOrders(shopThere, 40))];
    await cutOff(replica, primary);
    const lost = [...(await createOrders(shop, 300)), ...(await createOrders(shopThere, 300))];

    await primary.stop();
    await promote(replica);
    proxy.turnTo(replica.url());
    const running = (await Promise.all([createOrdersAgain(shop, 100), createOrdersAgain(shopThere, 100)])).flat();
    const fresh = await start(api);
    const anew = await createOrders({ ...shop, rest: rest(fresh, shop.token) }, 300);

    expect(twice([...kept, ...lost, ...running, ...anew])).toEqual([]);
    expect((await listClusterChanges(fresh.deps.db.em)).filter(({ kind }) => kind === 'ADOPTION')).toEqual([
      expect.objectContaining({ adoption: 1, reason: 'the server was promoted or restored to an earlier time' }),
    ]);
  });
});

describe('a copy that nothing tells from the database', () => {
  it('as one of its files is, an hour old, meets no address that was handed out, below one a second', async () => {
    const servers = createServers();
    ends.push(() => servers.close());
    const server = await servers.primary();
    const anvil = await startAnvil({ log });
    ends.push(() => anvil.stop());
    const common = { ETH_RPC_URL: anvil.url, TURNPIKE_SECRET: randomBytes(32).toString('hex') };
    const dataDir = await makeTestFolder('seed');
    const run = async <Result>(work: (gateway: TestGateway) => Promise<Result>) => {
      const gateway = await startTestGateway({ ...common, DATABASE_URL: server.url(), DATA_DIR: dataDir });
      return work(gateway).finally(() => gateway.stop());
    };
    const addresses: string[] = [];
    /** Creates one more, in another second of the database's clock than the one before. */
    const createOne = async (gateway: TestGateway, shop: TestMerchant) => {
      const last = await highest(gateway);
      await until(async () => (await earliestIndex(gateway.deps.db)) > last);
      addresses.push(...(await createOrders({ ...shop, rest: rest(gateway, shop.token) }, 1)));
    };

    const shop = await run(async (gateway) => {
      const made = await newMerchant(gateway);
      await createOne(gateway, made);
      return made;
    });
    // The state of an hour ago.
    await server.sql('update derivation_account set next_index = next_index - 3600');
    await server.stop();
    const copy = await server.copy();
    await server.start();
    const last = await run(async (gateway) => {
      for (let order = 0; order < 3; order += 1) await createOne(gateway, shop);
      return highest(gateway);
    });
    await server.stop();
    await server.restore(copy);
    await server.start();
    await run(async (gateway) => {
      await until(async () => (await earliestIndex(gateway.deps.db)) > last);
      for (let order = 0; order < 3; order += 1) await createOne(gateway, shop);
      const changes = await listClusterChanges(gateway.deps.db.em);
      expect(changes.map(({ kind }) => kind)).toEqual(['FIRST', 'RESTART']);
    });
    expect(addresses).toHaveLength(7);
    expect(twice(addresses)).toEqual([]);
  });
});
