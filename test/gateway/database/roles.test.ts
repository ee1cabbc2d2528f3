// A deployment in which each process has a role of the database of its own, and no more rights than it needs: the whole
// story of a payment and of a withdrawal goes through, and the operator's tools do their work.

import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import type { DatabaseRole } from '../../../src/database/roles/grants.ts';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { closeReceivers } from '../../dispatch/receivers.fixture.ts';
import { receiveWebhooks } from '../../dispatch/webhook-receiver.fixture.ts';
import { rest, USDT_PAYMENT, type Rest } from '../../support/clients.ts';
import { createTestDatabase, makeTestFolder } from '../../support/database/database.ts';
import { createTestRoles, type TestRoles } from '../../support/database/roles.ts';
import { dataOf } from '../../support/expectations.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { FAST_START_VARIABLES } from '../../support/jest/fast-start-variables.ts';
import { until } from '../../support/until.ts';
import { startProgram, type Environment, type Program } from '../programs.fixture.ts';

const LONG = 120_000;
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
/** How PostgreSQL says that a right is missing. */
const DENIED = /permission denied|must be owner/;

let roles: TestRoles;
let anvil: Anvil;
let folder: string;
let api: string;
const running = new Map<DatabaseRole, Program>();

beforeAll(async () => {
  roles = await createTestRoles(await createTestDatabase());
  folder = await makeTestFolder('database-roles');
  anvil = await startAnvil({ log: pino({ level: 'silent' }) });
  api = `http://127.0.0.1:${await findFreePort()}`;
  for (const role of ['signer', 'observer', 'dispatcher', 'mailer', 'api'] as const) await launch(role);
});
afterAll(async () => {
  await Promise.all([...running.values()].map((program) => program.stop()));
  await closeReceivers();
  await anvil.stop();
  await roles.drop();
  await rm(folder, { recursive: true, force: true });
});

const environmentOf = (role: DatabaseRole): Environment => ({
  ...{ DATABASE_URL: roles.urlOf(role), MIGRATE_AT_START: 'false', DATA_DIR: join(folder, role), LOG_LEVEL: 'info' },
  ...{ ETH_RPC_URL: anvil.url, TURNPIKE_SECRET: 'a secret of this test, as long as it has to be' },
  ...{ HOST: '127.0.0.1', PORT: new URL(api).port, BASE_URL: api },
});

async function launch(role: DatabaseRole): Promise<void> {
  const program = startProgram({ ...environmentOf(role), ROLES: role });
  running.set(role, program);
  await program.ready;
}

function expectNothingDenied(): void {
  for (const [role, program] of running)
    expect([role, program.said()]).toEqual([role, expect.not.stringMatching(DENIED)]);
}

async function register(): Promise<Rest> {
  const anybody = rest({ url: api });
  const owner = { email: 'owner@example.com', companyName: 'Shop' };
  const { apiKey } = dataOf(await anybody('POST', '/merchant', owner), 201);
  const { keyId, key: secret } = apiKey as { keyId: string; key: string };
  return rest({ url: api }, dataOf(await anybody('POST', '/auth/token', { keyId, secret })).accessToken as string);
}

it(
  'registers, orders, is paid, sends webhooks, refunds and withdraws, and no process lacks a right',
  async () => {
    const hooks = await receiveWebhooks();
    const shop = await register();
    dataOf(await shop('PUT', '/merchant/webhook', { url: hooks.url }));
    const order = async () => dataOf(await shop('POST', '/payments', USDT_PAYMENT), 201).orderId as string;
    const [paid, canceled] = [await order(), await order()];
    dataOf(await shop('DELETE', `/payments/${canceled}`));
    dataOf(await shop('POST', `/sandbox/payments/${paid}/deposit`));
    await until(async () => {
      expectNothingDenied();
      return dataOf(await shop('GET', `/payments/${paid}`)).status === 'SUCCEEDED';
    }, LONG);

    const refund = { amount: '5', address: ADDRESS };
    dataOf(await shop('POST', `/payments/${paid}/refund`, refund), 201);
    const request = { currency: 'USDT', network: 'ETH', amount: '10', address: ADDRESS };
    const { withdrawalId } = dataOf(await shop('POST', '/wallet/withdraw', request), 201);
    const path = `/wallet/withdrawals/${String(withdrawalId)}`;
    await until(async () => dataOf(await shop('GET', path)).status === 'COMPLETED', LONG);
    // Of the payment and of the refund.
    await until(() => hooks.received.length >= 2, LONG);
    expectNothingDenied();
  },
  3 * LONG,
);

it("the operator's tools work as the operator's role", async () => {
  const places = { ...environmentOf('operator'), ETH_COLD_ADDRESS: ADDRESS };
  for (const [program, ...args] of [
    ['ledger/verify'],
    ['ledger/ledger', 'suspense'],
    ['operator/operator', 'payouts'],
    ['operator/operator', 'health'],
    ['operator/operator', 'fees', 'withdraw', '--network', 'ETH', '--currency', 'USDT', '--amount', 'max'],
    ['operator/operator', 'freeze', '--reason', 'a test'],
    ['operator/operator', 'asset', 'ETH', 'USDC', 'off', '--reason', 'a test'],
    ['merchant', 'add', 'other@example.com', '--company', 'Other shop', '--generate'],
    ['merchant', 'reset-password', 'owner@example.com', '--generate'],
  ] as const) {
    const { code, said } = await runTool(program, args, places);
    expect({ program, args, code, said: code === 0 ? '' : said }).toEqual({ program, args, code: 0, said: '' });
  }
});

it("recovery works as the operator's role, where the signer runs", async () => {
  const places = { ...environmentOf('signer'), DATABASE_URL: roles.urlOf('operator') };
  const { code, said } = await runTool('recover', ['--network', 'ETH', '--apply'], places);
  expect({ code, said }).toEqual({ code: 0, said: expect.not.stringMatching(DENIED) });
});

function runTool(program: string, args: readonly string[], env: Environment): Promise<{ code: number; said: string }> {
  const path = fileURLToPath(new URL(`../../../src/cli/${program}.js`, import.meta.url));
  const options = { env: { ...FAST_START_VARIABLES, ...env, SANDBOX_NETWORKS: 'ETH' } };
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], options, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), said: out + err });
    });
  });
}

it('a process does not start as a role that may not do its work', async () => {
  const port = String(await findFreePort());
  const program = startProgram({ ...environmentOf('monitor'), ROLES: 'dispatcher', PORT: port });
  expect(await program.exited).not.toBe(0);
  expect(program.said()).toMatch(DENIED);
});
