// A new token needs only a new row: the built program with one row added to its table accepts, credits and pays out
// that token.

import { cp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { ROOT } from '../../support/sources.ts';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { createRpc, type Rpc } from '../../../src/chain/evm/rpc.ts';
import { compileContracts, tokenCreation } from '../../chain/evm/contracts.fixture.ts';
import { PAYER } from '../../chain/evm/node.fixture.ts';
import { rest, type Json, type Rest } from '../../support/clients.ts';
import { createTestDatabase, makeTestFolder, type TestDatabase } from '../../support/database/database.ts';
import { dataOf } from '../../support/expectations.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { startProgram, type Program } from '../programs.fixture.ts';

/** The row as it would be written in src/values/assets.ts. It has more decimals than any other token of the network. */
const ROW = `{ currency: 'DAI', network: 'ETH', decimals: 18, contract: '0x6B175474E89094C44Da98b954EedeAC495271d0F' },`;
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';
const LONG = 90_000;

let database: TestDatabase;
let folder: string;
let anvil: Anvil;
let rpc: Rpc;
let token: string;
let program: Program;
let url: string;

/** A copy of the build in which the table of tokens begins with the row. */
async function buildWithRow(): Promise<string> {
  for (const part of ['src', 'web', 'sdk'])
    await cp(join(ROOT, 'dist', part), join(folder, 'dist', part), { recursive: true });
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const table = join(folder, 'dist', 'src', 'values', 'assets.js');
  const text = await readFile(table, 'utf8');
  const changed = text.replace('const TOKENS = [', `const TOKENS = [ ${ROW}`);
  expect(changed).not.toBe(text);
  await writeFile(table, changed);
  return join(folder, 'dist', 'src', 'main.js');
}

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTestFolder('token');
  anvil = await startAnvil({ log: pino({ level: 'silent' }) });
  rpc = createRpc({ network: 'ETH', url: anvil.url, timeoutMs: 60_000 });
  const creation = compileContracts().PlainToken.creation;
  const data = tokenCreation(creation, { decimals: 18, holder: PAYER, supply: 10n ** 30n });
  const hash = await rpc.call('eth_sendTransaction', [{ from: PAYER, data, gas: '0x1e8480' }]);
  await rpc.call('anvil_mine', ['0x1']);
  ({ contractAddress: token } = (await rpc.call('eth_getTransactionReceipt', [hash])) as { contractAddress: string });
  const port = String(await findFreePort());
  url = `http://127.0.0.1:${port}`;
  const env = {
    ...{ DATABASE_URL: database.url, DATA_DIR: join(folder, 'data'), HOST: '127.0.0.1', PORT: port, BASE_URL: url },
    ...{ ETH_RPC_URL: anvil.url, ETH_DAI_CONTRACT: token },
  };
  program = startProgram(env, await buildWithRow());
  await program.ready;
}, LONG);
afterAll(async () => {
  await program.stop();
  await anvil.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function register(): Promise<Rest> {
  const anybody = rest({ url });
  const body = { email: 'dai@example.com', companyName: 'Shop' };
  const { apiKey } = dataOf(await anybody('POST', '/merchant', body), 201) as { apiKey: Json };
  const { accessToken } = dataOf(await anybody('POST', '/auth/token', { keyId: apiKey.keyId, secret: apiKey.key }));
  return rest({ url }, accessToken as string);
}

it(
  'a row is all that a token needs to be listed, ordered, paid, credited and withdrawn',
  async () => {
    const shop = await register();
    const { items } = dataOf(await shop('GET', '/currencies')) as { items: Json[] };
    expect(items.find(({ currency }) => currency === 'DAI')).toMatchObject({
      ...{ network: 'ETH', name: 'Ethereum', decimals: 18, minAmount: '0.01', available: true },
      contract: expect.stringMatching(new RegExp(`^${token}$`, 'i')),
    });

    const order = { amount: '1.000000000000000001', currency: 'DAI', network: 'ETH' };
    const { orderId, address } = dataOf(await shop('POST', '/payments', order), 201) as Record<string, string>;
    const units = (10n ** 18n + 1n).toString(16).padStart(64, '0');
    const data = `0xa9059cbb${(address ?? '').slice(2).padStart(64, '0')}${units}`;
    await rpc.call('eth_sendTransaction', [{ from: PAYER, to: token, data, gas: '0x30d40' }]);
    await rpc.call('anvil_mine', ['0x2']);
    const payment = await until(async () => {
      const seen = dataOf(await shop('GET', `/payments/${String(orderId)}`));
      return seen.status === 'SUCCEEDED' && seen;
    }, LONG);
    expect(payment).toMatchObject({ amountConfirmed: '1.000000000000000001', feeAmount: '0.01' });

    const asked = { currency: 'DAI', network: 'ETH', amount: 'max', address: RECIPIENT };
    const { withdrawalId } = dataOf(await shop('POST', '/wallet/withdraw', asked), 201);
    await until(async () => {
      const record = dataOf(await shop('GET', `/wallet/withdrawals/${String(withdrawalId)}`));
      return record.status === 'COMPLETED';
    }, LONG);
    const balanceOf = `0x70a08231${RECIPIENT.slice(2).padStart(64, '0')}`;
    expect(BigInt((await rpc.call('eth_call', [{ to: token, data: balanceOf }, 'latest'])) as string)).toBe(
      990_000_000_000_000_001n,
    );
  },
  LONG,
);
