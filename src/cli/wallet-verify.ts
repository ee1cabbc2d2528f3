// Holds a seed against the database: every address that was handed out, and the wallets that payouts leave from.

import { accountXpub, COIN_TYPES } from '../custody/account-keys.ts';
import { createSeedSigner } from '../custody/signer.ts';
import { openWallets, type Wallets } from '../custody/wallets.ts';
import type { ParsedAddress } from '../chain/adapter.ts';
import * as evm from '../chain/evm/derive.ts';
import * as tron from '../chain/tron/address.ts';
import { query, type Database } from '../database/connection.ts';
import { NETWORK_CODES, NETWORKS, type Network } from '../values/assets.ts';

/** How far seed and database agree: the number of addresses, and the first that does not match in words. */
export interface WalletCheck {
  readonly matching: number;
  readonly difference: string | null;
}

const BATCH = 5_000;

/** An account of a seed, and how its addresses come from it. */
export type WalletAccount = 'evm' | 'tron';

interface Addresses {
  addressOfPublicKey(publicKey: Uint8Array): ParsedAddress;
  createAddressDerivation(): (xpub: string, index: number) => ParsedAddress;
}

/** A row is an account. */
const ACCOUNTS: Readonly<Record<WalletAccount, Addresses>> = { evm, tron };

/** The account of a network, null where its wallets are not those of an account with one key for each address. */
export function walletAccountOf(network: Network): WalletAccount | null {
  const { account } = NETWORKS[network];
  return account === 'evm' || account === 'tron' ? account : null;
}

/** Compares what a seed (64 bytes) derives with what the database holds, account by account, in the order of the indexes. */
export async function verifyWallet(db: Database, seed: Uint8Array): Promise<WalletCheck> {
  let matching = 0;
  for (const account of Object.keys(ACCOUNTS) as WalletAccount[]) {
    const check = await verifyAccount(db, seed, account);
    matching += check.matching;
    if (check.difference !== null) return { matching, difference: check.difference };
  }
  return { matching, difference: null };
}

async function verifyAccount(db: Database, seed: Uint8Array, account: WalletAccount): Promise<WalletCheck> {
  const { xpub, path, fingerprint } = accountXpub(seed, COIN_TYPES[account]);
  const [stored] = await query<{ xpub: string }>(db.em, 'select xpub from derivation_account where account = $1', [
    account,
  ]);
  const payments = await verifyPayments(db, account, xpub);
  if (payments.difference !== null) return payments;
  if (stored && stored.xpub !== xpub) {
    const difference = `the database derives addresses from another account than ${path} (${fingerprint}) of this seed`;
    return { matching: payments.matching, difference };
  }
  const senders = await verifySenders(db, account, await openSeedWallets(seed, account));
  return { matching: payments.matching + senders.matching, difference: senders.difference };
}

/** The wallets of a seed on the networks of an account; where none is named, those whose addresses are Ethereum's. */
export function openSeedWallets(seed: Uint8Array, account: WalletAccount = 'evm'): Promise<Wallets> {
  const { addressOfPublicKey } = ACCOUNTS[account];
  return openWallets(createSeedSigner(seed), { adapter: { addressOf: addressOfPublicKey }, account });
}

async function verifyPayments({ em }: Database, account: WalletAccount, xpub: string): Promise<WalletCheck> {
  const derive = ACCOUNTS[account].createAddressDerivation();
  let matching = 0;
  for (let after = -1; ;) {
    const rows = await query<{ id: string; index: string; key: string; address: string }>(
      em,
      `select id, derivation_index::text as index, address_key as key, address from payment
       where derivation_account = $1 and derivation_index > $2 order by derivation_index limit $3`,
      [account, after, BATCH],
    );
    for (const row of rows) {
      after = Number(row.index);
      const { key, address } = derive(xpub, after);
      if (key !== row.key || address !== row.address) {
        const difference = `payment ${row.id}: the database has ${row.address} at index ${row.index}, the seed ${address}`;
        return { matching, difference };
      }
      matching += 1;
    }
    if (rows.length < BATCH) return { matching, difference: null };
  }
}

/** The hot and the gas wallet of every network that payouts were made ready on. */
async function verifySenders({ em }: Database, account: WalletAccount, wallets: Wallets): Promise<WalletCheck> {
  const networks = NETWORK_CODES.filter((network) => walletAccountOf(network) === account);
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
