// npm run wallet: creates and restores the keystore, shows its public parts, and verifies it against the database.

import { text } from 'node:stream/consumers';
import { readConfig, type Config } from '../../config/config.ts';
import { accountPathOf } from '../../chain/utxo/derive.ts';
import { accountKey, accountXpub, COIN_TYPES } from '../../custody/keys/account-keys.ts';
import { createKeystore, openKeystore, openSandboxSeed, seedOfWords } from '../../custody/keys/keystore.ts';
import { useCell } from '../../values/cells/own-cell.ts';
import { withDatabase } from '../with-database.ts';
import { planSweeps } from './sweep.ts';
import { EVM_ACCOUNT, openSeedWallets, outputAccounts, SOL_ACCOUNT, TRON_ACCOUNT, verifyWallet } from './verify.ts';

const USAGE = `npm run wallet -- COMMAND

  init               create the encrypted keystore KEYSTORE_PATH with KEYSTORE_PASSPHRASE; shows its 24 words once
  init --restore     restore it from words read from standard input
  show               show the account and the hot and gas wallets, without secrets
  export-xpub        print the account's extended public key, for ETH_XPUB of the other roles
  export-xpub tron   the same for TRON, for TRON_XPUB
  export-xpub btc    the same for Bitcoin (BIP-84), for BTC_XPUB; btc-taproot with BTC_ADDRESS_TYPE=taproot (BIP-86)
  export-xpub ltc    the same for Litecoin (BIP-84), for LTC_XPUB
  verify             derive the addresses in the database again and compare them
  verify --words     the same with words read from standard input: proves that they restore this wallet
  sweep --dry-run    show what the wallets hold, and what sweeps would move and cost;
                     on BTC and LTC, the outputs that payouts can spend

Without KEYSTORE_PATH, the sandbox's wallet in DATA_DIR is used.
`;

const ONCE = `Write these words down on paper, in this order, and keep them away from the server: they are shown only once.
Anyone who has them has the money; without them, and without the keystore and its passphrase, it is lost.
Then check what you wrote: npm run wallet -- verify --words
`;

const say = (line: string) => void process.stdout.write(`${line}\n`);

const COMMANDS: Readonly<Record<string, (config: Config) => Promise<void>>> = {
  init: (config) => init(config, null),
  'init --restore': async (config) => init(config, await readWords()),
  show,
  'export-xpub': async (config) => say(accountXpub(await openSeed(config), COIN_TYPES.evm).xpub),
  'export-xpub tron': async (config) => say(accountXpub(await openSeed(config), COIN_TYPES.tron).xpub),
  'export-xpub btc': async (config) =>
    say(accountKey(await openSeed(config), accountPathOf('BTC', 'main', 'P2WPKH')).xpub),
  'export-xpub btc-taproot': async (config) =>
    say(accountKey(await openSeed(config), accountPathOf('BTC', 'main', 'P2TR')).xpub),
  'export-xpub ltc': async (config) =>
    say(accountKey(await openSeed(config), accountPathOf('LTC', 'main', 'P2WPKH')).xpub),
  verify: async (config) => verify(config, await openSeed(config)),
  'verify --words': async (config) => verify(config, await seedOfWords(await readWords())),
  'sweep --dry-run': async (config) => {
    const seed = await openSeed(config);
    await withDatabase(config, async (db) => planSweeps(config, db, seed, say));
  },
  sweep: () => {
    throw new Error('The signer sweeps when a payout needs it; `sweep --dry-run` shows what there is');
  },
};

async function init({ keystore }: Config, words: string | null): Promise<void> {
  if (keystore === null)
    throw new Error('Set KEYSTORE_PATH and KEYSTORE_PASSPHRASE; the sandbox creates its own seed when first started');
  const { mnemonic, seed } = await createKeystore({ ...keystore, ...(words === null ? {} : { mnemonic: words }) });
  say(`Keystore created: ${keystore.path}`);
  say(`Account ${describeAccount(seed)}\n`);
  if (words !== null) return;
  say(ONCE);
  for (const [index, word] of mnemonic.split(' ').entries()) say(`${String(index + 1).padStart(4)}  ${word}`);
}

async function show(config: Config): Promise<void> {
  const seed = await openSeed(config);
  const { hot, gas } = await openSeedWallets(seed, EVM_ACCOUNT);
  say(`Wallet      ${config.keystore?.path ?? `of the sandbox on ${config.dataDir}`}`);
  say(`Account     ${describeAccount(seed)}`);
  say(`Hot wallet  ${hot.address}  (${hot.path})`);
  say(`Gas wallet  ${gas.address}  (${gas.path})`);
  for (const [name, account] of [['TRON', TRON_ACCOUNT] as const, ['Solana', SOL_ACCOUNT] as const]) {
    const own = await openSeedWallets(seed, account);
    say(`On ${name.padEnd(8)} ${own.hot.address}  (${own.hot.path}), gas wallet ${own.gas.address}  (${own.gas.path})`);
  }
  for (const account of outputAccounts(config)) {
    const own = await openSeedWallets(seed, account);
    say(`On ${account.network.padEnd(8)} ${own.hot.address}  (${own.hot.path}), account ${account.path}`);
  }
}

/** The path of the account and the fingerprint of its extended public key. */
function describeAccount(seed: Uint8Array): string {
  const { path, fingerprint } = accountXpub(seed, COIN_TYPES.evm);
  return `${path}, xpub with the fingerprint ${fingerprint}`;
}

async function verify(config: Config, seed: Uint8Array): Promise<void> {
  const { matching, difference } = await withDatabase(config, (db) => verifyWallet(db, seed, outputAccounts(config)));
  say(`${String(matching)} addresses match`);
  if (difference === null) return;
  say(`✗ ${difference}`);
  process.exitCode = 1;
}

/** The configured keystore's seed; otherwise the sandbox's, which must exist. */
async function openSeed({ keystore, environment, dataDir }: Config): Promise<Uint8Array> {
  if (keystore !== null) return openKeystore(keystore);
  if (environment === 'live') throw new Error('Set KEYSTORE_PATH and KEYSTORE_PASSPHRASE');
  const seed = await openSandboxSeed({ dataDir });
  if (seed === null)
    throw new Error(`There is no wallet on ${dataDir}: start the sandbox, or set DATA_DIR or KEYSTORE_PATH`);
  return seed;
}

async function readWords(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write('Type the words, then Enter and Ctrl-D:\n');
  return text(process.stdin);
}

try {
  const name = process.argv.slice(2).join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) {
    const config = readConfig();
    // Nothing is made here whose time would matter.
    useCell(config.cell === null ? null : { cell: config.cell, since: 0 });
    await command(config);
  } else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
