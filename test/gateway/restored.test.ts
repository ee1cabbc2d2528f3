// Whole gateways whose database is replaced by an older copy, from its files or from a lagging replica: what was paid
// meanwhile is not paid again, the rest of the gateway goes on, and `npm run recover` completes the book.

import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { connectDatabase } from '../../src/database/connection.ts';
import { migrate } from '../../src/database/migrate.ts';
import { startAnvil } from '../../src/sandbox/evm/anvil.ts';
import { runRecover } from '../cli/run-recover.fixture.ts';
import { newMerchant, rest, type TestMerchant } from '../support/clients.ts';
import { makeTestFolder } from '../support/database/database.ts';
import { dataOf } from '../support/expectations.ts';
import { startTestGateway, type TestGateway } from '../support/gateway/gateway.ts';
import { startPostgresProxy } from '../support/proxies/postgres-proxy.ts';
import { createServers, cutOff, promote } from '../support/database/replica.ts';
import { until } from '../support/until.ts';

jest.setTimeout(240_000);

const log = pino({ level: 'silent' });
const ENDED = ['COMPLETED', 'FAILED'];

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (let end = ends.pop(); end; end = ends.pop()) await end();
});

/** A chain, and a data folder with the signer's seed and journal. */
async function startInfrastructure() {
  const anvil = await startAnvil({ log });
  ends.push(() => anvil.stop());
  const dataDir = await makeTestFolder('restored');
  const env = { ETH_RPC_URL: anvil.url, TURNPIKE_SECRET: randomBytes(32).toString('hex'), DATA_DIR: dataDir };
  const recipient = `0x${randomBytes(20).toString('hex')}`;
  const received = async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getBalance', params: [recipient, 'latest'] });
    const answer = await fetch(anvil.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
    return BigInt(((await answer.json()) as { result: string }).result);
  };
  return { env, dataDir, recipient, received };
}

const call = (gateway: TestGateway, shop: TestMerchant) => rest(gateway, shop.token);

/** An order of ETH that is paid and credited. */
async function fund(gateway: TestGateway, shop: TestMerchant): Promise<void> {
  const api = call(gateway, shop);
  const order = { amount: '1', currency: 'ETH', network: 'ETH' };
  const { orderId } = dataOf(await api('POST', '/payments', order), 201) as { orderId: string };
  await api('POST', `/sandbox/payments/${orderId}/deposit`, { confirmations: 2 });
  await until(async () => dataOf(await api('GET', `/payments/${orderId}`)).status === 'SUCCEEDED', 60_000);
}

async function withdraw(gateway: TestGateway, shop: TestMerchant, address: string, amount: string): Promise<string> {
  const request = { currency: 'ETH', network: 'ETH', amount, address };
  const { withdrawalId } = dataOf(await call(gateway, shop)('POST', '/wallet/withdraw', request), 201);
  return withdrawalId as string;
}

const read = async (gateway: TestGateway, shop: TestMerchant, id: string) =>
  dataOf(await call(gateway, shop)('GET', `/wallet/withdrawals/${id}`));

const ended = (gateway: TestGateway, shop: TestMerchant, id: string) =>
  until(async () => {
    const payout = await read(gateway, shop, id).catch(() => null);
    return payout && ENDED.includes(payout.status as string) && payout;
  });

/** Signing is halted and says so, and everything else goes on. */
async function expectHalted(gateway: TestGateway, shop: TestMerchant, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await until(async () => {
      const payout = await read(gateway, shop, id).catch(() => null);
      return payout?.heldReason === 'NETWORK_HALTED' && payout.status === 'REQUESTED';
    });
  const ready = await fetch(`${gateway.url}/readyz`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({
    status: 'ready',
    halted: [{ network: 'ETH', command: 'npm run recover -- --network ETH' }],
  });
  await until(async () =>
    (await (await fetch(`${gateway.url}/metrics`)).text()).includes('turnpike_signing_halted{network="ETH"} 1'),
  );
  expect(gateway.logged.some(({ msg = '' }) => msg.startsWith('signing is halted'))).toBe(true);
  await fund(gateway, shop);
}

it('restored by a copy of its files it pays nothing twice, and everything once when it is recovered', async () => {
  const { env, recipient, received } = await startInfrastructure();
  const servers = createServers();
  ends.push(() => servers.close());
  const server = await servers.primary();
  const run = async <Result>(overrides: Record<string, string>, work: (gateway: TestGateway) => Promise<Result>) => {
    const gateway = await startTestGateway({ ...env, DATABASE_URL: server.url(), ...overrides });
    return work(gateway).finally(() => gateway.stop());
  };
  const shop = await run({}, async (gateway) => {
    const made = await newMerchant(gateway);
    await fund(gateway, made);
    await ended(gateway, made, await withdraw(gateway, made, recipient, '0.1'));
    return made;
  });
  const waiting = await run({ ROLES: 'api,observer,dispatcher' }, (gateway) =>
    withdraw(gateway, shop, recipient, '0.2'),
  );
  await server.stop();
  const copy = await server.copy();
  await server.start();
  const [paid, lost] = await run({}, async (gateway) => {
    const last = await withdraw(gateway, shop, recipient, '0.05');
    return [await ended(gateway, shop, waiting), await ended(gateway, shop, last)] as const;
  });
  await server.stop();
  await server.restore(copy);
  await server.start();

  await run({}, async (gateway) => {
    await expectHalted(gateway, shop, [waiting]);
    expect(await received()).toBe(350_000_000_000_000_000n);
    const places = { ...env, DATABASE_URL: server.url(), SANDBOX_NETWORKS: 'ETH' };
    const plan = await runRecover(['--network', 'ETH'], places);
    expect(plan).toMatchObject({ code: 0, err: '' });
    expect(plan.out).toContain('add --apply');
    expect((await read(gateway, shop, waiting)).status).toBe('REQUESTED');
    expect(await runRecover(['--network', 'ETH', '--apply', '--by', 'Ada'], places)).toMatchObject({
      code: 0,
      err: '',
    });
    for (const [id, before] of [
      [waiting, paid],
      [lost.withdrawalId as string, lost],
    ] as const)
      expect(await ended(gateway, shop, id)).toMatchObject({ status: 'COMPLETED', txHash: before.txHash });
    expect(await gateway.sql('select actor, action, target from operator_log')).toEqual([
      { actor: 'Ada', action: 'RECOVERED', target: 'ETH' },
    ]);
    await ended(gateway, shop, await withdraw(gateway, shop, recipient, '0.01'));
    expect(await received()).toBe(360_000_000_000_000_000n);
    expect(await (await fetch(`${gateway.url}/readyz`)).json()).toEqual({ status: 'ready', faults: {} });
  });
});

it('taken over by a replica that lagged, under a running gateway that lost its journal, pays nothing twice', async () => {
  const { env, dataDir, recipient, received } = await startInfrastructure();
  const servers = createServers();
  ends.push(() => servers.close());
  const primary = await servers.primary();
  const db = await connectDatabase({ url: primary.url(), poolMax: 2, log });
  await migrate(db);
  await db.close();
  const replica = await servers.replicaOf(primary);
  const proxy = await startPostgresProxy(primary.url());
  ends.push(() => proxy.stop());
  const gateway = await startTestGateway({ ...env, DATABASE_URL: proxy.url });
  ends.push(() => gateway.stop());
  const shop = await newMerchant(gateway);
  await fund(gateway, shop);
  await ended(gateway, shop, await withdraw(gateway, shop, recipient, '0.1'));
  await cutOff(replica, primary);
  const lost = await ended(gateway, shop, await withdraw(gateway, shop, recipient, '0.2'));
  await primary.stop();
  await promote(replica);
  for (const name of await readdir(dataDir)) if (name.startsWith('journal-')) await rm(join(dataDir, name));
  proxy.turnTo(replica.url());

  // The merchant does not find it, and asks again.
  const again = await until(() => withdraw(gateway, shop, recipient, '0.2').catch(() => null), 60_000);
  await expectHalted(gateway, shop, [again]);
  expect(await received()).toBe(300_000_000_000_000_000n);
  const places = { ...env, DATABASE_URL: replica.url(), SANDBOX_NETWORKS: 'ETH' };
  const args = ['--network', 'ETH', '--apply'];
  expect(await runRecover(args, places)).toMatchObject({ code: 1 });
  expect(await runRecover([...args, '--accept-missing-journal'], places)).toMatchObject({ code: 0, err: '' });
  expect(await ended(gateway, shop, again)).toMatchObject({ status: 'COMPLETED', txHash: lost.txHash });
  expect(await received()).toBe(300_000_000_000_000_000n);
});
