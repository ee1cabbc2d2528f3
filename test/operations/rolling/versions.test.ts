// An upgrade under load: the version before and this one run side by side on one database, which is migrated while
// callers go on.

import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { SCHEMA } from '../../../src/database/migrations/index.ts';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { startProgram, type Environment, type Program } from '../../gateway/programs.fixture.ts';
import { newMerchant, send, type TestMerchant } from '../../support/clients.ts';
import { createTestDatabase, makeTestFolder, type TestDatabase } from '../../support/database/database.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { FAST_START_VARIABLES } from '../../support/jest/fast-start-variables.ts';
import { until } from '../../support/until.ts';
import { startHaProxy, type HaProxy } from './haproxy.fixture.ts';
import { startLoad, type Load } from './load.fixture.ts';
import { buildOtherVersion, type OtherVersion } from './other-version.fixture.ts';

jest.setTimeout(1_800_000);

const CALLS_BETWEEN = 100;
const DEPOSITS = 5;
const LONG_MS = 180_000;
const cli = (name: string) => fileURLToPath(new URL(`../../../src/cli/${name}.js`, import.meta.url));

/** A process of the deployment, as it was started last. */
interface Member {
  readonly name: string;
  readonly env: Environment;
  program: Program;
}

let older: OtherVersion;
let database: TestDatabase;
let anvil: Anvil;
let folder: string;
let proxy: HaProxy;
let members: { readonly worker: Member; readonly api1: Member; readonly api2: Member };
let shop: TestMerchant;
let load: Load;

beforeAll(async () => {
  older = await buildOtherVersion();
  database = await createTestDatabase();
  await database.sql('drop schema public cascade; create schema public');
  anvil = await startAnvil({ log: pino({ level: 'silent' }) });
  folder = await makeTestFolder('versions');
  const ports = { worker: await findFreePort(), api1: await findFreePort(), api2: await findFreePort() };
  const start = (name: keyof typeof ports, roles: string): Member => {
    const env = environmentOf(name, ports[name], roles);
    return { name, env, program: startProgram(env, older.program) };
  };
  const worker = start('worker', 'observer,dispatcher,signer');
  await worker.program.ready;
  members = { worker, api1: start('api1', 'api'), api2: start('api2', 'api') };
  await Promise.all([members.api1.program.ready, members.api2.program.ready]);
  proxy = await startHaProxy([ports.api1, ports.api2]);
  for (const name of ['api1', 'api2']) await proxy.untilUp(name);
  shop = await newMerchant({
    url: `http://127.0.0.1:${ports.api1}`,
    sql: (text: string, parameters?: readonly unknown[]) => database.sql(text, parameters),
  } as Parameters<typeof newMerchant>[0]);
  load = startLoad({ url: proxy.url, token: shop.token });
});
afterAll(async () => {
  await load?.stop();
  await proxy?.stop();
  await Promise.all(Object.values(members ?? {}).map(({ program }) => program.kill()));
  await anvil?.stop();
  await database?.drop();
  await older?.remove();
  if (folder) await rm(folder, { recursive: true, force: true });
});

function environmentOf(name: string, port: number, roles: string): Environment {
  return {
    ...{ DATABASE_URL: database.url, ETH_RPC_URL: anvil.url, DATA_DIR: join(folder, name), LOG_LEVEL: 'error' },
    ...{ TURNPIKE_SECRET: 'a secret of this test, as long as it has to be', HOST: '127.0.0.1', ROLES: roles },
    ...{ BASE_URL: `http://127.0.0.1:${port}`, PORT: String(port), METRICS_PORT: String(port) },
    ...{ RATE_LIMIT_PER_SECOND: '0', RATE_LIMIT_AUTH_PER_MINUTE: '0', TRUST_PROXY: '127.0.0.1' },
    SHUTDOWN_GRACE_SECONDS: '10',
  };
}

/** Replaces a process by this version. The balancer is told first, because an older one may not drain by itself. */
async function upgrade(member: Member): Promise<void> {
  const isApi = member.name.startsWith('api');
  if (isApi) await proxy.drain(member.name);
  await member.program.stop();
  member.program = startProgram(member.env);
  await member.program.ready;
  if (isApi) await proxy.admit(member.name);
  if (isApi) await proxy.untilUp(member.name);
}

/** The version and the schema that a process says it is of; null if it does not say, as the first ones did not. */
async function buildOf({ env }: Member): Promise<string | null> {
  const { text } = await send({ method: 'GET', url: `http://127.0.0.1:${env['PORT'] ?? ''}/metrics` });
  return /^turnpike_build_info\{(.*)\} 1$/m.exec(text)?.[1] ?? null;
}

/** Payments that customers pay. */
async function takeDeposits(): Promise<void> {
  for (let nth = 0; nth < DEPOSITS; nth += 1) {
    const { orderId } = (await shop.rest('POST', '/payments', { amount: '25', currency: 'USDT', network: 'ETH' })).body
      .data as { orderId: string };
    await shop.rest('POST', `/sandbox/payments/${orderId}/deposit`, {});
    await until(
      async () => (await shop.rest('GET', `/payments/${orderId}`)).body?.data?.status === 'SUCCEEDED',
      LONG_MS,
    );
  }
}

it('no call fails while the schema changes and the processes are replaced, and the books verify', async () => {
  await load.untilAllTold();
  await takeDeposits();
  const variables = { ...FAST_START_VARIABLES, ...members.api1.env };
  const { stdout } = await promisify(execFile)(process.execPath, [cli('migrate')], { env: variables });
  expect(stdout).toMatch(new RegExp(`^The database has schema ${SCHEMA}$`, 'm'));
  expect(stdout.match(/^Applied /gm)?.length ?? 0).toBe(SCHEMA - older.schema);
  await load.untilAnswered(CALLS_BETWEEN);
  await upgrade(members.api1);
  const [before, after] = [await buildOf(members.api2), await buildOf(members.api1)];
  expect(after).toContain(`schema="${SCHEMA}"`);
  expect(before).not.toBe(after);
  await load.untilAllTold();
  await load.untilAnswered(2 * CALLS_BETWEEN);
  await takeDeposits();
  await upgrade(members.worker);
  await takeDeposits();
  await upgrade(members.api2);
  await load.untilAllTold();
  await load.untilAnswered(CALLS_BETWEEN);
  const { answered, errors, closed } = load.figures();
  process.stdout.write(
    `From ${older.what} to schema ${SCHEMA}: ${answered} answered, errors ${JSON.stringify(errors)}, sockets closed ${JSON.stringify(closed)}\n`,
  );
  expect(errors).toEqual({});
  await load.stop();
  await until(async () => {
    const verified = promisify(execFile)(process.execPath, [cli('ledger/verify')], { env: variables });
    return verified.then(
      ({ stdout: out }) => !out.includes('✗'),
      () => false,
    );
  }, LONG_MS);
});
