// A deployment whose parts can be broken one by one: gateways, their database, nodes, Redis and receivers of webhooks.

import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { startAnvil } from '../../../src/sandbox/evm/anvil.ts';
import { startOddNode } from '../../chain/evm/node.fixture.ts';
import { startProgram, type Program } from '../../gateway/programs.fixture.ts';
import { findRedis, startRedis, type RedisServer } from '../../server/admission/redis-server.fixture.ts';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';
import { createTestDatabase, makeTestFolder, type TestDatabase } from '../../support/database/database.ts';
import { findFreePort, startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { startPostgresProxy, type PostgresProxy } from '../../support/proxies/postgres-proxy.ts';

/** Debian's libfaketime, by the name that the loader knows it by. */
const FAKETIME = '/usr/$LIB/faketime/libfaketime.so.1';

export interface Deployment {
  readonly database: TestDatabase;
  /** All roles, with a development chain of ETH, two nodes of POLYGON, and Redis. */
  readonly gateway: TestGateway;
  readonly shop: TestMerchant;
  /** An API on another machine, so to speak: its clock is an hour ahead, and its certificate ends tomorrow. */
  readonly api: { readonly url: string; readonly program: Program; readonly database: PostgresProxy };
  readonly redis: RedisServer;
  /** POLYGON's nodes, which show the same chain; stopped, it cannot be reached. */
  readonly nodes: readonly { stop(): Promise<void> }[];
  readonly folder: string;
  /** Takes a lock in a session of its own; the result closes it. */
  hold(statement: string): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

export async function startDeployment(): Promise<Deployment> {
  const folder = await makeTestFolder('alerts');
  const database = await createTestDatabase();
  const program = findRedis();
  if (program === undefined) throw new Error('There is no Redis here');
  const redis = await startRedis(program, folder);
  const anvil = await startAnvil({ log: pino({ level: 'silent' }), chainId: 80_002 });
  // Not a development chain to the gateway, so it follows what the nodes show.
  const openNode = () =>
    startOddNode(anvil.url, ({ method }) => (method === 'web3_clientVersion' ? { result: 'bor/v2' } : undefined));
  const nodes = [await openNode(), await openNode()];
  const gateway = await startTestGateway({
    ...{ DATABASE_URL: database.url, REDIS_URL: redis.url, SANDBOX_NETWORKS: 'ETH' },
    ...{ POLYGON_RPC_URL: nodes.map(({ url }) => url).join(','), POLYGON_CHAIN_ID: '80002' },
    ...{ STUCK_AFTER_MINUTES: '1', ETH_PAYOUT_MAX_COST: '0.000000001', WEBHOOK_RETRY_DELAYS: '0.5' },
    TURNPIKE_SECRET: SECRET,
  });
  const shop = await newMerchant(gateway);
  const proxy = await startPostgresProxy(database.url);
  const api = await startApi(folder, proxy);
  return {
    ...{ database, gateway, shop, api: { ...api, database: proxy }, redis, nodes, folder },
    hold: (statement) => hold(database.url, statement),
    async stop() {
      await api.program.stop();
      await gateway.stop();
      await proxy.stop();
      for (const node of nodes) await node.stop().catch(() => undefined);
      await anvil.stop();
      await redis.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const SECRET = 'a secret of this test, as long as it has to be';

async function startApi(folder: string, { url: databaseUrl }: PostgresProxy) {
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const options = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost', '-days', '1'];
  const { status, stderr } = spawnSync('openssl', [...options, '-out', certificate, '-keyout', key], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
  const [port, node] = [await findFreePort(), await startAnvil({ log: pino({ level: 'silent' }) })];
  const url = `https://127.0.0.1:${port}`;
  const program = startProgram({
    ...{ ROLES: 'api', PORT: String(port), HOST: '127.0.0.1', BASE_URL: url, DATABASE_URL: databaseUrl },
    ...{ TLS_CERT_PATH: certificate, TLS_KEY_PATH: key, DATA_DIR: join(folder, 'api'), TURNPIKE_SECRET: SECRET },
    ...{ ETH_RPC_URL: node.url, LD_PRELOAD: FAKETIME, FAKETIME: '+1h', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
  });
  await program.ready;
  const stop = () => program.stop().finally(() => node.stop());
  return { url, program: { ...program, stop } };
}

/** Opens a transaction, runs a statement that takes a lock, and leaves it open. */
async function hold(url: string, statement: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  return () => client.end();
}
