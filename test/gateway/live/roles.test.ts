// A live deployment with separate roles: the signer has the keystore, the others have the extended public key.

import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createRpc, type Rpc } from '../../../src/chain/evm/rpc.ts';
import { accountXpub, COIN_TYPES } from '../../../src/custody/keys/account-keys.ts';
import { createKeystore } from '../../../src/custody/keys/keystore.ts';
import { startAnvil, type Anvil } from '../../../src/sandbox/evm/anvil.ts';
import { PERMISSIONS } from '../../../src/values/permission.ts';
import { graphql, rest, type Json, type Rest } from '../../support/clients.ts';
import { createTestDatabase, makeTestFolder, type TestDatabase } from '../../support/database/database.ts';
import { dataOf } from '../../support/expectations.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { startProgram, type Environment, type Program } from '../programs.fixture.ts';

/** Anvil's first account, which anvil signs for. */
const CUSTOMER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const BEHIND_PROXY = { 'x-forwarded-proto': 'https' };
const ETHER = 10n ** 18n;
const LONG = 90_000;

let database: TestDatabase;
let anvil: Anvil;
let folder: string;
let rpc: Rpc;
let common: Environment;
let keystore: Environment;
const running: Program[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeTestFolder('live');
  anvil = await startAnvil({ log: pino({ level: 'silent' }) });
  rpc = createRpc({ network: 'ETH', url: anvil.url, timeoutMs: 60_000 });
  const path = join(folder, 'keystore');
  const passphrase = 'a passphrase of a test';
  const { seed } = await createKeystore({ path, passphrase });
  keystore = { KEYSTORE_PATH: path, KEYSTORE_PASSPHRASE_FILE: join(folder, 'passphrase') };
  await writeFile(join(folder, 'passphrase'), `${passphrase}\n`);
  common = {
    TURNPIKE_ENV: 'live',
    REGISTRATION: 'open',
    TURNPIKE_SECRET: 'a secret of this test, as long as it has to be',
    DATABASE_URL: database.url,
    BASE_URL: 'https://pay.example.com',
    TRUST_PROXY: '127.0.0.1',
    HOST: '127.0.0.1',
    ETH_RPC_URL: anvil.url,
    ETH_CHAIN_ID: '31337',
    ETH_CONFIRMATIONS: '2',
    RATE_FEEDS: 'none',
    ETH_ETH_NETWORK_FEE: '0.001',
    ETH_XPUB: accountXpub(seed, COIN_TYPES.evm).xpub,
  };
});
afterAll(async () => {
  await Promise.all(running.map((program) => program.stop()));
  await anvil.stop();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function launch(roles: string, env: Environment = {}): Promise<{ url: string; dataDir: string }> {
  const port = String(await findFreePort());
  const dataDir = join(folder, roles);
  await mkdir(dataDir);
  const program = startProgram({ ...common, ...env, ROLES: roles, DATA_DIR: dataDir, PORT: port });
  running.push(program);
  await program.ready;
  return { url: `http://127.0.0.1:${port}`, dataDir };
}

/** A client behind the proxy that terminates TLS. */
function client(url: string, token?: string): Rest {
  const call = rest({ url }, token);
  return (method, path, body) => call(method, path, body, BEHIND_PROXY);
}

/** Registers over GraphQL, as merchants do in live; the operator gives the key every permission. */
async function register(url: string): Promise<Rest> {
  const mutation = `mutation ($input: RegisterMerchantInput!) {
    registerMerchant(input: $input) { apiKey { keyId secret } }
  }`;
  const input = { email: 'live@example.com', companyName: 'Shop', password: randomBytes(12).toString('hex') };
  const { body } = await graphql({ url })(mutation, { input }, BEHIND_PROXY);
  const { keyId, secret } = body.data.registerMerchant.apiKey as { keyId: string; secret: string };
  await database.sql('update api_key set permissions = $2 where key_id = $1', [keyId, PERMISSIONS]);
  const { accessToken } = dataOf(await client(url)('POST', '/auth/token', { keyId, secret }));
  return client(url, accessToken as string);
}

/** Mines what waits, and two blocks on top; an idle node is left alone. */
async function mineWhatWaits(): Promise<void> {
  const { pending } = (await rpc.call('txpool_status', [])) as { pending: string };
  if (BigInt(pending) > 0n) await rpc.call('anvil_mine', ['0x3']);
}

/** Mines what comes until the record at `path` has the status. */
async function reach(shop: Rest, path: string, status: string): Promise<Json> {
  return until(async () => {
    await mineWhatWaits();
    const record = dataOf(await shop('GET', path));
    return record.status === status ? record : null;
  }, 45_000);
}

describe('a live deployment', () => {
  it(
    'takes money where only the extended public key is, and pays it out where the keystore is',
    async () => {
      const [api, observer] = [await launch('api'), await launch('observer,dispatcher')];
      const shop = await register(api.url);
      const request = { amount: '1', currency: 'ETH', network: 'ETH' };
      // The node is verified soon after the start; until then the network is not available.
      const created = await until(async () => {
        const answer = await shop('POST', '/payments', request);
        return answer.status === 201 ? answer : null;
      });
      const { orderId, address } = dataOf(created, 201) as { orderId: string; address: string };
      const value = `0x${ETHER.toString(16)}`;
      await rpc.call('eth_sendTransaction', [{ from: CUSTOMER, to: address, value, gas: '0x5208' }]);
      await reach(shop, `/payments/${orderId}`, 'SUCCEEDED');

      const order = { currency: 'ETH', network: 'ETH', amount: '0.5', address: ADDRESS };
      const asked = dataOf(await shop('POST', '/wallet/withdraw', order), 201) as { withdrawalId: string };
      const path = `/wallet/withdrawals/${asked.withdrawalId}`;
      expect(dataOf(await shop('GET', path))).toMatchObject({ status: 'REQUESTED', networkFee: '0.001' });

      await launch('signer', keystore);
      await reach(shop, path, 'COMPLETED');
      expect(BigInt((await rpc.call('eth_getBalance', [ADDRESS, 'latest'])) as string)).toBe(ETHER / 2n);
      for (const { dataDir } of [api, observer]) expect(await readdir(dataDir)).toEqual([]);
    },
    LONG,
  );

  it('says so when the keystore is not the one that its addresses come from', async () => {
    const path = join(folder, 'another');
    const passphrase = 'another passphrase of a test';
    const { seed } = await createKeystore({ path, passphrase });
    const ETH_XPUB = accountXpub(seed, COIN_TYPES.evm).xpub;
    const other = launch('signer,dispatcher', { KEYSTORE_PATH: path, KEYSTORE_PASSPHRASE: passphrase, ETH_XPUB });
    await expect(other).rejects.toThrow(/addresses of another extended public key/);
  });
});
