// Checks a seed against the database: every issued address, and the wallets that payouts are sent from.

import { accountKey, accountPath, pooledPaths } from '../../custody/keys/account-keys.ts';
import { createSeedSigner } from '../../custody/keys/signer.ts';
import { openWallets, type Wallets } from '../../custody/keys/wallets.ts';
import type { ParsedAddress } from '../../chain/adapter.ts';
import { accountPathOf, openAdapter } from '../../chain/open-adapter.ts';
import type { Config } from '../../config/config.ts';
import * as evm from '../../chain/evm/address.ts';
import * as solana from '../../chain/solana/address.ts';
import * as tron from '../../chain/tron/address.ts';
import { query, type Database } from '../../database/connection.ts';
import { NETWORK_CODES, NETWORKS, type DerivationAccount, type Network } from '../../values/assets.ts';

/** How far seed and database agree: the number of matching addresses, and the first difference in words. */
export interface WalletCheck {
  readonly matching: number;
  readonly difference: string | null;
}

const BATCH = 5_000;

/** An account of a seed: its derivation path, and how its addresses are derived. */
export interface WalletAccount {
  readonly account: DerivationAccount;
  readonly path: string;
  addressOfPublicKey(publicKey: Uint8Array): ParsedAddress;
  createAddressDerivation(): (xpub: string, index: number) => ParsedAddress;
}

/** An account whose addresses the signer pools, because only private keys give them. */
export interface PooledAccount {
  readonly account: DerivationAccount;
  readonly curve: 'ed25519';
  addressOfPublicKey(publicKey: Uint8Array): ParsedAddress;
}

/** These three exist whatever the configuration says. Their paths depend on the cell, so they are read when needed. */
export const EVM_ACCOUNT: WalletAccount = {
  account: 'evm',
  get path() {
    return accountPath('evm');
  },
  ...pick(evm),
};
export const TRON_ACCOUNT: WalletAccount = {
  account: 'tron',
  get path() {
    return accountPath('tron');
  },
  ...pick(tron),
};
export const SOL_ACCOUNT: PooledAccount = {
  ...{ account: 'sol', curve: 'ed25519', addressOfPublicKey: solana.addressOfPublicKey },
};

function pick({ addressOfPublicKey, createAddressDerivation }: typeof evm | typeof tron) {
  return { addressOfPublicKey, createAddressDerivation };
}

/** Deriving an address contacts no node. */
const NO_NODE = {
  nodes: [{ url: 'http://127.0.0.1' }],
  contracts: new Map<string, string>(),
  chainId: null,
  trace: false,
};

/**
 * Accounts of UTXO networks, whose addresses depend on the chain (`main` or another), so they need the configuration.
 */
export function outputAccounts({ networks, sandboxNetworks }: Config): (WalletAccount & { network: Network })[] {
  return NETWORK_CODES.flatMap((network) => {
    const { kind, account } = NETWORKS[network];
    const own = sandboxNetworks.includes(network) ? { ...NO_NODE, chainName: 'regtest' } : null;
    const node = networks.get(network) ?? own;
    if (kind !== 'utxo' || !node) return [];
    const path = accountPathOf(network, node);
    if (path === null) return [];
    const { addressOf, derive } = openAdapter(network, node);
    return [{ network, account, path, addressOfPublicKey: addressOf, createAddressDerivation: () => derive }];
  });
}

/** The account of a network whose deposit addresses are swept; null for others. */
export function sweptAccountOf(network: Network): WalletAccount | PooledAccount | null {
  return [EVM_ACCOUNT, TRON_ACCOUNT, SOL_ACCOUNT].find(({ account }) => account === NETWORKS[network].account) ?? null;
}

/** Compares what a seed (64 bytes) derives with the database, account by account, in index order. */
export async function verifyWallet(
  db: Database,
  seed: Uint8Array,
  others: readonly WalletAccount[] = [],
): Promise<WalletCheck> {
  const checks = [
    ...[EVM_ACCOUNT, TRON_ACCOUNT, ...others].map((account) => () => verifyAccount(db, seed, account)),
    () => verifyPooled(db, seed, SOL_ACCOUNT),
  ];
  return inTurn(checks);
}

/** Runs the checks one after the other, up to the first difference. */
async function inTurn(checks: readonly (() => Promise<WalletCheck>)[]): Promise<WalletCheck> {
  let matching = 0;
  for (const look of checks) {
    const check = await look();
    matching += check.matching;
    if (check.difference !== null) return { matching, difference: check.difference };
  }
  return { matching, difference: null };
}

function verifyAccount(db: Database, seed: Uint8Array, account: WalletAccount): Promise<WalletCheck> {
  const { xpub, path, fingerprint } = accountKey(seed, account.path);
  const derive = account.createAddressDerivation();
  return inTurn([
    () => verifyAddresses(db, { account, from: PAYMENTS, addressAt: (index) => derive(xpub, index) }),
    async () => {
      const [stored] = await query<{ xpub: string }>(db.em, 'select xpub from derivation_account where account = $1', [
        account.account,
      ]);
      if (!stored || stored.xpub === xpub) return { matching: 0, difference: null };
      const difference = `the database derives addresses from another account than ${path} (${fingerprint}) of this seed`;
      return { matching: 0, difference };
    },
    async () => verifySenders(db, account, await openSeedWallets(seed, account)),
  ]);
}

/** Unissued pool addresses count too: the next payment gets one of them. */
function verifyPooled(db: Database, seed: Uint8Array, pooled: PooledAccount): Promise<WalletCheck> {
  const { account, curve, addressOfPublicKey } = pooled;
  const [signer, paths] = [createSeedSigner(seed), pooledPaths(account)];
  const addressAt = async (index: number) => addressOfPublicKey(await signer.publicKey(paths.deposit(index), curve));
  return inTurn([
    () => verifyAddresses(db, { account: pooled, from: PAYMENTS, addressAt }),
    () => verifyAddresses(db, { account: pooled, from: POOLED_ADDRESSES, addressAt }),
    async () => verifySenders(db, pooled, await openSeedWallets(seed, pooled)),
  ]);
}

/** The wallets of a seed on the networks of an account. */
export function openSeedWallets(seed: Uint8Array, of: WalletAccount | PooledAccount): Promise<Wallets> {
  const { account, addressOfPublicKey: addressOf } = of;
  const adapter = 'curve' in of ? { addressOf, curve: of.curve } : { addressOf, accountPath: of.path };
  return openWallets(createSeedSigner(seed), { adapter, account });
}

/** Addresses of an account ($1) above an index ($2), in order, at most $3. */
const PAYMENTS = `select 'payment ' || id as what, derivation_index::text as index, address_key as key, address
  from payment where derivation_account = $1 and derivation_index > $2 order by derivation_index limit $3`;
/** Pooled addresses that no payment has. */
const POOLED_ADDRESSES = `select 'made ahead' as what, p.index::text as index, p.address_key as key, p.address
  from address_pool p where p.account = $1 and p.index > $2 and not exists
    (select 1 from payment where derivation_account = p.account and derivation_index = p.index)
  order by p.index limit $3`;

interface Addresses {
  readonly account: { readonly account: DerivationAccount };
  /** One of the statements above. */
  readonly from: string;
  addressAt(index: number): ParsedAddress | Promise<ParsedAddress>;
}

async function verifyAddresses({ em }: Database, { account, from, addressAt }: Addresses): Promise<WalletCheck> {
  let matching = 0;
  for (let after = -1; ;) {
    const rows = await query<{ what: string; index: string; key: string; address: string }>(em, from, [
      ...[account.account, after, BATCH],
    ]);
    for (const row of rows) {
      after = Number(row.index);
      const { key, address } = await addressAt(after);
      if (key !== row.key || address !== row.address) {
        const difference = `${row.what}: the database has ${row.address} at index ${row.index}, the seed ${address}`;
        return { matching, difference };
      }
      matching += 1;
    }
    if (rows.length < BATCH) return { matching, difference: null };
  }
}

/** The hot and gas wallets of every network with a payout wallet. */
async function verifySenders(
  { em }: Database,
  account: { readonly account: DerivationAccount },
  wallets: Wallets,
): Promise<WalletCheck> {
  const networks = NETWORK_CODES.filter((network) => NETWORKS[network].account === account.account);
  const rows = await query<{ network: string; role: 'HOT' | 'GAS'; key: string }>(
    em,
    `select network, role, address_key as key from sender
     where role <> 'DEPOSIT' and network = any($1) order by network, role`,
    [networks],
  );
  const own = { HOT: wallets.hot.key, GAS: wallets.gas.key };
  for (const [matching, { network, role, key }] of rows.entries()) {
    if (own[role] === key) continue;
    const difference = `${network}: the database has ${key} as its ${role} wallet, the seed ${own[role]}`;
    return { matching, difference };
  }
  return { matching: rows.length, difference: null };
}
