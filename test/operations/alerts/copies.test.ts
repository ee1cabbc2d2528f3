// Alerts are fired by their causes, continued: a process with too much to do, a chain that cannot be followed, money
// that the book does not know, and a standby that lags, leaves and takes over.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { pino } from 'pino';
import { connectDatabase } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { startAnvil } from '../../../src/sandbox/evm/anvil.ts';
import { newMerchant, type TestMerchant } from '../../support/clients.ts';
import { makeTestFolder } from '../../support/database/database.ts';
import { createServers, cutOff, promote, type OwnServer } from '../../support/database/replica.ts';
import { dataOf } from '../../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { startPostgresProxy, type PostgresProxy } from '../../support/proxies/postgres-proxy.ts';
import { until } from '../../support/until.ts';
import { startMonitoring, type Monitoring } from './prometheus.fixture.ts';

const log = pino({ level: 'silent' });
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

let primary: OwnServer;
let replica: OwnServer;
let proxy: PostgresProxy;
let gateway: TestGateway;
let shop: TestMerchant;
let monitoring: Monitoring;
/** Asks the node of ETH. */
let ask: (method: string, ...params: unknown[]) => Promise<unknown>;

const ends: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  const anvil = await startAnvil({ log });
  ends.push(() => anvil.stop());
  ask = async (method, ...params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await fetch(anvil.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    return ((await answer.json()) as { result?: unknown }).result;
  };
  const servers = createServers();
  ends.push(() => servers.close());
  primary = await servers.primary();
  const db = await connectDatabase({ url: primary.url(), poolMax: 2, log });
  await migrate(db);
  await db.close();
  replica = await servers.replicaOf(primary);
  proxy = await startPostgresProxy(primary.url());
  ends.push(() => proxy.stop());
  gateway = await startTestGateway({
    ...{ ETH_RPC_URL: anvil.url, TURNPIKE_SECRET: randomBytes(32).toString('hex'), DATABASE_URL: proxy.url },
  });
  ends.push(() => gateway.stop());
  shop = await newMerchant(gateway);
  const folder = join(await makeTestFolder('alerts'), 'monitoring');
  monitoring = await startMonitoring(folder, [{ role: 'all', url: gateway.url }]);
  ends.push(() => monitoring.stop());
});
afterAll(async () => {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
});

/** An order of one ETH that is paid and credited; returns its address. */
async function fund(): Promise<string> {
  const payment = { currency: 'ETH', network: 'ETH', amount: '1' };
  const { orderId, address } = dataOf(await shop.rest('POST', '/payments', payment), 201) as Record<string, string>;
  dataOf(await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, { confirmations: 2 }));
  await until(async () => dataOf(await shop.rest('GET', `/payments/${orderId}`)).status === 'SUCCEEDED', 60_000);
  return address ?? '';
}

/** Does something again and again until an alert has fired. */
async function repeatUntilFired(alertname: string, work: () => Promise<unknown>): Promise<void> {
  const firing = monitoring.fired(alertname);
  let isFired = false;
  const stop = () => void (isFired = true);
  firing.then(stop, stop);
  while (!isFired) await work();
  await firing;
}

it('a process of which one turn takes too long', async () => {
  await repeatUntilFired('EventLoopLags', async () => {
    for (const end = performance.now() + 800; performance.now() < end;);
    await rest(50);
  });
  await monitoring.over('EventLoopLags');
});

it('a chain that is not followed, because another session holds its cursor', async () => {
  const other = new Client({ connectionString: primary.url() });
  await other.connect();
  await other.query('begin');
  await other.query(`select * from chain_cursor where network = 'ETH' for update`);
  await ask('anvil_mine', '0x64');
  await monitoring.fired('ChainLagging', { network: 'ETH' });
  await other.end();
  await monitoring.over('ChainLagging');
});

it('an address that holds more than the book explains', async () => {
  const address = await fund();
  await ask('anvil_setBalance', address, '0xde0b6b3a7640001');
  const { annotations } = await monitoring.fired('CustodyDiffers', { network: 'ETH', currency: 'ETH' });
  expect(annotations['summary']).toMatch(/^The chain holds 1 base units of ETH on ETH more/);
});

it('a standby that does not replay what it gets, and then is gone', async () => {
  await replica.sql('select pg_wal_replay_pause()');
  await repeatUntilFired('ReplicationLags', async () => {
    await shop.rest('POST', '/payments', { currency: 'ETH', network: 'ETH', amount: '1' });
    await rest(200);
  });
  await replica.sql('select pg_wal_replay_resume()');
  await monitoring.over('ReplicationLags');
  await replica.stop();
  await monitoring.fired('StandbyGone');
  await replica.start();
  await monitoring.over('StandbyGone');
});

it('a standby that lagged and takes over: another copy of the database, which lacks a payout', async () => {
  const withdrawal = { currency: 'ETH', network: 'ETH', amount: '0.2', address: ADDRESS };
  await cutOff(replica, primary);
  const { withdrawalId } = dataOf(await shop.rest('POST', '/wallet/withdraw', withdrawal), 201) as Record<
    string,
    string
  >;
  await until(
    async () => dataOf(await shop.rest('GET', `/wallet/withdrawals/${withdrawalId}`)).status === 'COMPLETED',
    60_000,
  );
  const before = (await monitoring.alerts()).map(({ labels }) => labels['alertname']);
  for (const name of ['DatabaseCopied', 'SigningHalted']) expect(before).not.toContain(name);
  await primary.stop();
  await promote(replica);
  proxy.turnTo(replica.url());
  await monitoring.fired('DatabaseCopied');
  await monitoring.fired('SigningHalted', { network: 'ETH' });
  expect(await ask('eth_getBalance', ADDRESS, 'latest')).toBe('0x2c68af0bb140000');
});
