// Extended public keys and key paths of accounts. The signer role gives the public keys to the API and the observer,
// which never see the seed.

import { HDKey } from '@scure/bip32';
import { accountNumber } from '../../values/cells/own-cell.ts';

/** An account's extended public key. */
export interface AccountKey {
  /**
   * Base58Check `xpub…` (BIP-32). It reveals and links every address of the account, so it is kept private, but it
   * cannot spend.
   */
  readonly xpub: string;
  /** E.g. `m/44'/60'/0'`. */
  readonly path: string;
  /** The first four bytes of the account key's own HASH160 as hex (BIP-32): names the key in logs and tables. */
  readonly fingerprint: string;
}

/** BIP-44 coin types (SLIP-44). Every EVM network shares Ethereum's, so that an address is the same on all of them. */
export const COIN_TYPES = { evm: 60, tron: 195 } as const;

/** The same for accounts whose addresses are made in advance. */
const POOLED_COIN_TYPES = { sol: 501 } as const;

/** The path of the BIP-44 account, `m/44'/coin'/0'`; each cell has an account of its own, by its number. */
export function accountPath(account: string): string {
  const coinType = (COIN_TYPES as Readonly<Record<string, number>>)[account];
  if (coinType === undefined) throw new Error(`There is no signer for the account ${account}`);
  return bip44Path(coinType);
}

const bip44Path = (coinType: number) => `m/44'/${String(coinType)}'/${String(accountNumber())}'`;

/** The extended public key of the BIP-44 account of a BIP-39 seed. */
export function accountXpub(seed: Uint8Array, coinType: number): AccountKey {
  return accountKey(seed, bip44Path(coinType));
}

/** The key paths of an account: of deposit addresses, and of the wallets that we pay from. */
export interface AccountPaths {
  deposit(index: number): string;
  wallet(index: number): string;
}

/** Wallets are on the account's internal chain (BIP-44), so that none of them is a deposit address. */
export function accountPaths(base: string): AccountPaths {
  return { deposit: (index) => `${base}/0/${String(index)}`, wallet: (index) => `${base}/1/${String(index)}` };
}

/**
 * The same for ed25519 accounts, whose addresses are made in advance and whose paths are hardened throughout (SLIP-10).
 * The account level is numbered and the chain comes last, as common wallets number their addresses. So each cell has
 * two chains of its own: the first 0 and 1, the next 2 and 3.
 */
export function pooledPaths(account: string): AccountPaths {
  const coinType = (POOLED_COIN_TYPES as Readonly<Record<string, number>>)[account];
  if (coinType === undefined) throw new Error(`There is no signer for the account ${account}`);
  const base = `m/44'/${String(coinType)}'`;
  const first = 2 * accountNumber();
  const at = (index: number, chain: number) => `${base}/${String(index)}'/${String(chain)}'`;
  return { deposit: (index) => at(index, first), wallet: (index) => at(index, first + 1) };
}

/**
 * The extended public key at an account's path of a BIP-39 seed, always as `xpub…`.
 * Keep it apart from child private keys: together with a single one of them it gives the account's private key.
 */
export function accountKey(seed: Uint8Array, path: string): AccountKey {
  const root = HDKey.fromMasterSeed(seed);
  const account = root.derive(path);
  const key = {
    xpub: account.publicExtendedKey,
    path,
    fingerprint: account.fingerprint.toString(16).padStart(8, '0'),
  };
  account.wipePrivateData();
  root.wipePrivateData();
  return key;
}
