// Stores the extended public key of each derivation account, and opens the signer's seed. Related networks share an
// account.

import { accountNumberOf } from '../../chain/extended-key.ts';
import { accountPathOf } from '../../chain/open-adapter.ts';
import type { Config } from '../../config/config.ts';
import { query } from '../../database/connection.ts';
import type { Deps } from '../../domain/deps.ts';
import { NETWORKS, type DerivationAccount, type Network } from '../../values/assets.ts';
import { ownCell } from '../../values/cells/own-cell.ts';
import { StartError } from '../lifecycle.ts';

/** Settings of the sandbox's own chains, for network kinds whose chains have names. */
const OWN_CHAIN = {
  nodes: [],
  contracts: new Map<string, string>(),
  chainId: null,
  trace: false,
  chainName: 'regtest',
};

/** Accounts without public derivation: the signer pools their addresses, and there is no key to store. */
const POOLED: readonly DerivationAccount[] = ['sol'];

/**
 * Stores the extended public key of each account in the database, where every role finds it. It comes from the
 * configuration or the signer. An account never changes its key: addresses already issued belong to it.
 */
export async function storeAccounts(config: Config, deps: Pick<Deps, 'db'>): Promise<void> {
  const networks = [...config.networks.keys(), ...config.sandboxNetworks];
  const accounts = Map.groupBy(networks, (network) => NETWORKS[network].account);
  for (const [account, own] of accounts) {
    if (!POOLED.includes(account)) await storeAccount(config, deps, account, own);
  }
}

async function storeAccount(
  config: Config,
  { db: { em } }: Pick<Deps, 'db'>,
  account: DerivationAccount,
  networks: readonly Network[],
): Promise<void> {
  const configured = networks.map((network) => config.networks.get(network)?.xpub ?? null);
  const given = configured.find((xpub) => xpub !== null) ?? null;
  if (given !== null) refuseOfOtherCell(given, networks);
  const ofSigner = config.roles.has('signer') ? await xpubOfSigner(config, account, networks) : null;
  if (given !== null && ofSigner !== null && given !== ofSigner)
    throw new StartError(
      `${networks[0] ?? ''}_XPUB is not the extended public key of this signer's keystore, which \`npm run wallet\` shows`,
    );
  const xpub = given ?? ofSigner;
  if (xpub !== null)
    await query(em, 'insert into derivation_account (account, xpub) values ($1, $2) on conflict do nothing', [
      account,
      xpub,
    ]);
  const [row] = await query<{ xpub: string }>(em, 'select xpub from derivation_account where account = $1', [account]);
  if (!row)
    throw new StartError(
      `There is no extended public key yet: start a process with the signer role first, or set ${networks[0] ?? ''}_XPUB`,
    );
  if (xpub !== null && row.xpub !== xpub)
    throw new StartError(
      'The database has addresses of another extended public key: is this the right DATA_DIR or XPUB?',
    );
}

/** The same key in two cells would have both hand out the same addresses. */
function refuseOfOtherCell(xpub: string, networks: readonly Network[]): void {
  const own = ownCell();
  const number = own === null ? null : accountNumberOf(xpub);
  if (own === null || number === own.cell) return;
  throw new StartError(
    `${networks[0] ?? ''}_XPUB is of account ${String(number)}, and CELL=${String(own.cell)} needs that of account ${String(own.cell)}, which \`npm run wallet -- export-xpub\` prints with the same CELL`,
  );
}

async function xpubOfSigner(
  config: Config,
  account: DerivationAccount,
  [network]: readonly Network[],
): Promise<string | null> {
  const seed = await openSeed(config);
  if (seed === null) return null;
  const { accountKey, accountXpub, COIN_TYPES } = await import('../../custody/keys/account-keys.ts');
  const path = network === undefined ? null : accountPathOf(network, config.networks.get(network) ?? OWN_CHAIN);
  if (path !== null) return accountKey(seed, path).xpub;
  const coinType = (COIN_TYPES as Partial<Record<DerivationAccount, number>>)[account];
  return coinType === undefined ? null : accountXpub(seed, coinType).xpub;
}

const seeds = new WeakMap<Config, Promise<Uint8Array | null>>();

/**
 * The signer's seed: the keystore's, or the sandbox's own; null in live without a keystore. Opened once, because that
 * is slow on purpose. Throws `StartError` if the keystore cannot be opened.
 */
export function openSeed(config: Config): Promise<Uint8Array | null> {
  const seed = seeds.get(config) ?? readSeed(config);
  seeds.set(config, seed);
  return seed;
}

async function readSeed({ environment, keystore, dataDir }: Config): Promise<Uint8Array | null> {
  const { KeystoreDamaged, openKeystore, openOrCreateSandboxSeed, WrongPassphrase } =
    await import('../../custody/keys/keystore.ts');
  if (keystore === null) return environment === 'sandbox' ? openOrCreateSandboxSeed({ dataDir }) : null;
  try {
    return await openKeystore(keystore);
  } catch (error) {
    if (error instanceof WrongPassphrase) throw new StartError(`KEYSTORE_PASSPHRASE: ${error.message}`);
    if (error instanceof KeystoreDamaged) throw new StartError(`KEYSTORE_PATH: ${error.message}`);
    throw error;
  }
}
