// Separate roles, each a program of its own: the API works without a seed, and payments work across processes.

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { startAnvil, type Anvil } from '../../src/sandbox/evm/anvil.ts';
import { rest, USDT_PAYMENT, type Rest } from '../support/clients.ts';
import { createTestDatabase, makeTestFolder, type TestDatabase } from '../support/database/database.ts';
import { dataOf } from '../support/expectations.ts';
import { findFreePort } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';
import { differences } from '../server/metrics/table.fixture.ts';
import { startProgram, type Environment, type Program } from './programs.fixture.ts';

const LONG = 60_000;
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

let database: TestDatabase;
let anvil: Anvil;
let folder: string;
let common: Environment;
const running: Program[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTestFolder('roles');
  anvil = await startAnvil({ log: pino({ level: 'silent' }) });
  common = {
    DATABASE_URL: database.url,
    ETH_RPC_URL: anvil.url,
    TURNPIKE_SECRET: 'a secret of this test, as long as it has to be',
    HOST: '127.0.0.1',
  };
});
afterAll(async () => {
  await Promise.all(running.map((program) => program.stop()));
  await anvil.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function launch(name: string, roles: string, more: Environment = {}): Promise<{ url: string; dataDir: string }> {
  const port = String(await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const dataDir = join(folder, name);
  const program = startProgram({ ...common, ROLES: roles, DATA_DIR: dataDir, PORT: port, BASE_URL: url, ...more });
  running.push(program);
  await program.ready;
  return { url, dataDir };
}

const filesIn = (path: string) => readdir(path, { recursive: true }).catch(() => []);

async function register(url: string): Promise<Rest> {
  const anybody = rest({ url });
  const { apiKey } = dataOf(
    await anybody('POST', '/merchant', { email: 'roles@example.com', companyName: 'Shop' }),
    201,
  );
  const { keyId, key: secret } = apiKey as { keyId: string; key: string };
  const { accessToken } = dataOf(await anybody('POST', '/auth/token', { keyId, secret }));
  return rest({ url }, accessToken as string);
}

describe('the API in a process of its own', () => {
  it('says what it lacks while no signer has ever run', async () => {
    await expect(launch('early', 'api')).rejects.toThrow(/no extended public key yet: start a process with the signer/);
  });

  it(
    'takes payments and withdrawals that the other processes complete, and never has a seed',
    async () => {
      const metricsPort = String(await findFreePort());
      const signer = await launch('signer', 'signer,observer,dispatcher', { METRICS_PORT: metricsPort });
      const { url, dataDir } = await launch('api', 'api');
      const metricsOf = async (origin: string) => (await fetch(`${origin}/metrics`)).text();
      const behind = ['signer', 'observer', 'dispatcher'];
      expect(differences(await metricsOf(`http://127.0.0.1:${metricsPort}`), behind)).toEqual([]);
      expect(differences(await metricsOf(url), ['api'])).toEqual([]);
      const shop = await register(url);

      const { orderId } = dataOf(await shop('POST', '/payments', USDT_PAYMENT), 201) as { orderId: string };
      dataOf(await shop('POST', `/sandbox/payments/${orderId}/deposit`));
      await until(async () => dataOf(await shop('GET', `/payments/${orderId}`)).status === 'SUCCEEDED');

      const order = { currency: 'USDT', network: 'ETH', amount: '10', address: ADDRESS };
      const { withdrawalId } = dataOf(await shop('POST', '/wallet/withdraw', order), 201) as { withdrawalId: string };
      const path = `/wallet/withdrawals/${withdrawalId}`;
      await until(async () => dataOf(await shop('GET', path)).status === 'COMPLETED', LONG);

      expect(await filesIn(signer.dataDir)).toContain('sandbox-mnemonic');
      expect(await filesIn(dataDir)).toEqual([]);
    },
    2 * LONG,
  );
});

describe('a dispatcher in a process of its own', () => {
  it('needs no node, and tells of its work on a port for it alone', async () => {
    const port = await findFreePort();
    const own = { DATABASE_URL: database.url, TURNPIKE_SECRET: common['TURNPIKE_SECRET'] ?? '', HOST: '127.0.0.1' };
    const program = startProgram({ ...own, ROLES: 'dispatcher', METRICS_PORT: String(port), DATA_DIR: folder });
    running.push(program);
    await program.ready;
    const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
    expect((await get('/readyz')).status).toBe(200);
    const metrics = await (await get('/metrics')).text();
    expect(differences(metrics, ['dispatcher'])).toEqual([]);
    expect((await get('/api/v1/currencies')).status).toBe(404);
  });
});
