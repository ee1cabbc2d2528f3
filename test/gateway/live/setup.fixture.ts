// A live deployment as an operator has it: a database, an external node with token contracts, a keystore, a
// certificate, and the variables that name them all.

import { execFile } from 'node:child_process';
import { mkdir, writeFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { createRpc, type Rpc } from '../../../src/chain/evm/rpc.ts';
import { accountXpub, COIN_TYPES } from '../../../src/custody/keys/account-keys.ts';
import { createKeystore } from '../../../src/custody/keys/keystore.ts';
import { startAnvil } from '../../../src/sandbox/evm/anvil.ts';
import { FAUCET, fundFaucet, signDeployments, signDeposit, TEST_TOKENS } from '../../../src/sandbox/evm/test-tokens.ts';
import { RECEIVER_CERTIFICATE, RECEIVER_KEY } from '../../support/tls.ts';
import { createTestDatabase, makeTestFolder } from '../../support/database/database.ts';
import { findFreePort } from '../../support/gateway/gateway.ts';
import { startProgram, type Environment, type Program } from '../programs.fixture.ts';

const CHAIN_ID = 31_337;

export interface LiveSetup {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly rpc: Rpc;
  /** All variables that live needs, except those for HTTPS. */
  readonly variables: Environment;
  /** HTTPS with a certificate of its own; the tests' clients use {@link TLS}. */
  readonly certificate: Environment;
  /** Starts the program; `url` is where it listens. */
  launch(variables: Environment): Promise<LiveProgram>;
  /** The content of the keystore: the words, and their seed. */
  readonly wallet: { readonly mnemonic: string; readonly seed: Uint8Array };
  /** The operator's first step in the guide: shows the gas wallet's address and funds it. */
  fundGasWallet(): Promise<void>;
  /** Mines what waits, and two blocks on top; an idle node is left alone. */
  mineWhatWaits(): Promise<void>;
  /** Sends a customer's token payment, and mines it and the blocks that make it final. */
  pay(address: string, currency: string, units: bigint): Promise<void>;
  stop(): Promise<void>;
}

export interface LiveProgram extends Program {
  /** `host:port`. */
  readonly host: string;
  readonly dataDir: string;
  /** The URLs of the modules that it has loaded. */
  readonly loadsFile: string;
}

const WALLET = fileURLToPath(new URL('../../../src/cli/wallet/wallet.js', import.meta.url));
const RECORDER = fileURLToPath(new URL('./record-loads.fixture.js', import.meta.url));

export async function openLiveSetup(): Promise<LiveSetup> {
  const database = await createTestDatabase();
  const folder = await makeTestFolder('live');
  const anvil = await startAnvil({ log: pino({ level: 'silent' }) });
  const rpc = createRpc({ network: 'ETH', url: anvil.url, timeoutMs: 60_000 });
  await fundFaucet(rpc);
  for (const signed of await signDeployments(CHAIN_ID)) await rpc.call('eth_sendRawTransaction', [signed]);
  await rpc.call('anvil_mine', ['0x1']);

  const keystore = { KEYSTORE_PATH: join(folder, 'keystore'), KEYSTORE_PASSPHRASE: 'three green lamps, unlit' };
  const wallet = await createKeystore({ path: keystore.KEYSTORE_PATH, passphrase: keystore.KEYSTORE_PASSPHRASE });
  const certificate = { TLS_CERT_PATH: join(folder, 'cert.pem'), TLS_KEY_PATH: join(folder, 'key.pem') };
  await writeFile(certificate.TLS_CERT_PATH, RECEIVER_CERTIFICATE);
  await writeFile(certificate.TLS_KEY_PATH, RECEIVER_KEY);
  const running: Program[] = [];

  return {
    ...{ folder, rpc, certificate, wallet, databaseUrl: database.url },
    variables: {
      TURNPIKE_ENV: 'live',
      REGISTRATION: 'open',
      TURNPIKE_SECRET: 'Jx2v0sQm8kTtYb6nRw4eUz1pLf7hCd3g',
      DATABASE_URL: database.url,
      BASE_URL: 'https://pay.kettle.test',
      HOST: '127.0.0.1',
      ETH_RPC_URL: anvil.url,
      ETH_CHAIN_ID: String(CHAIN_ID),
      ETH_CONFIRMATIONS: '2',
      ETH_USDT_CONTRACT: TEST_TOKENS.get('USDT') ?? '',
      ETH_USDC_CONTRACT: TEST_TOKENS.get('USDC') ?? '',
      ...{ ETH_ETH_NETWORK_FEE: '0', ETH_USDT_NETWORK_FEE: '1.5', ETH_USDC_NETWORK_FEE: '0' },
      ETH_XPUB: accountXpub(wallet.seed, COIN_TYPES.evm).xpub,
      RATE_LIMIT_PER_SECOND: '0',
      RATE_FEEDS: 'none',
      ...keystore,
    },
    async launch(variables) {
      const port = String(await findFreePort());
      const dataDir = join(folder, port);
      await mkdir(dataDir);
      const loadsFile = join(folder, `${port}.loads`);
      const recorder = { NODE_OPTIONS: `--import=${RECORDER}`, LOADS_FILE: loadsFile };
      const program = startProgram({ PORT: port, DATA_DIR: dataDir, ...recorder, ...variables });
      running.push(program);
      return { ...program, host: `127.0.0.1:${port}`, dataDir, loadsFile };
    },
    async fundGasWallet() {
      const { stdout } = await promisify(execFile)(process.execPath, [WALLET, 'show'], { env: keystore });
      const gas = /gas.*(0x[0-9a-fA-F]{40})/i.exec(stdout)?.[1];
      if (gas === undefined) throw new Error(`No gas wallet is shown: ${stdout}`);
      await rpc.call('anvil_setBalance', [gas, `0x${(10n ** 18n).toString(16)}`]);
      await rpc.call('anvil_mine', ['0x1']);
    },
    async mineWhatWaits() {
      const { pending } = (await rpc.call('txpool_status', [])) as { pending: string };
      if (BigInt(pending) > 0n) await rpc.call('anvil_mine', ['0x3']);
    },
    async pay(address, currency, units) {
      const nonce = Number(await rpc.call('eth_getTransactionCount', [FAUCET, 'pending']));
      const request = { chainId: CHAIN_ID, nonce, address: address as `0x${string}`, currency, amount: units };
      await rpc.call('eth_sendRawTransaction', [await signDeposit(request)]);
      await rpc.call('anvil_mine', ['0x3']);
    },
    async stop() {
      await Promise.all(running.map((program) => program.stop()));
      await anvil.stop();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
