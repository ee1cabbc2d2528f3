// Reads Solana accounts (wallets, token accounts and mints) and decodes the balances in them.

import { associatedTokenAccount, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './address.ts';
import { encodeBase58 } from '../base58.ts';
import type { SolanaNode } from './node.ts';
import { fieldsOf, integerOf, listOf, InvalidResponse, textOf, type RpcTransaction } from './rpc-types.ts';

export interface Account {
  /** Null if the number is too large for JSON. */
  readonly lamports: bigint | null;
  /** The owning program; that of a wallet is the system program. */
  readonly program: string;
  readonly data: Buffer;
}

/** Accounts as of one slot; null for those that do not exist. */
export interface AccountSnapshot {
  readonly slot: number;
  readonly accounts: readonly (Account | null)[];
}

/** The most accounts that a node returns at once. */
const MAX_ACCOUNTS = 100;
/** Offsets in a token account: mint and owner of 32 bytes each, then the balance. */
const TOKEN_ACCOUNT = { owner: 32, units: 64, bytes: 165 };
/** The offset of a mint's decimals, and its length without extensions. */
const MINT = { decimals: 44, bytes: 82 };
/**
 * Token-2022 accounts have their kind after the length of a plain token account, followed by extensions, each with a
 * 16-bit number and a 16-bit length.
 */
const EXTENDED = { kind: 165, isMint: 1, extensions: 166, head: 4 };
/** The transfer-fee extension of a mint: offsets of the current and the next rate, in hundredths of a percent. */
const TRANSFER_FEE = { number: 1, basisPoints: [88, 106] };

/** Reads at most 100 accounts, all as of one slot. */
export async function readAccounts(node: SolanaNode, keys: readonly string[]): Promise<AccountSnapshot> {
  if (keys.length > MAX_ACCOUNTS) throw new Error(`At most ${String(MAX_ACCOUNTS)} accounts are read at once`);
  const options = { commitment: 'confirmed', encoding: 'base64' };
  const answer = fieldsOf(await node.call('getMultipleAccounts', [keys, options]), 'accounts');
  const accounts = listOf(answer.value, 'accounts').map((value) => (value === null ? null : readAccount(value)));
  if (accounts.length !== keys.length) throw new InvalidResponse('the number of accounts is wrong');
  return { slot: integerOf(fieldsOf(answer.context, 'context').slot, 'slot'), accounts };
}

function readAccount(answer: unknown): Account {
  const { lamports, owner, data } = fieldsOf(answer, 'account');
  const [text] = listOf(data, 'account data');
  if (typeof text !== 'string') throw new InvalidResponse('the account data is not text');
  return {
    lamports: Number.isSafeInteger(lamports) ? BigInt(integerOf(lamports, 'balance')) : null,
    program: textOf(owner, 'program'),
    data: Buffer.from(text, 'base64'),
  };
}

export interface Mint {
  readonly program: string;
  readonly decimals: number;
  /** Whether the token takes a fee from transfers, now or from a coming epoch on. */
  readonly takesFee: boolean;
}

/** Reads a mint of either token program; null if there is none. */
export async function readMint(node: SolanaNode, key: string): Promise<Mint | null> {
  const [account] = (await readAccounts(node, [key])).accounts;
  if (!account || ![TOKEN_PROGRAM, TOKEN_2022_PROGRAM].includes(account.program)) return null;
  const { program, data } = account;
  const isExtended = data.length > EXTENDED.kind && data[EXTENDED.kind] === EXTENDED.isMint;
  if (data.length !== MINT.bytes && !isExtended) return null;
  return { program, decimals: data.readUInt8(MINT.decimals), takesFee: isExtended && takesFee(data) };
}

function takesFee(data: Buffer): boolean {
  for (let at = EXTENDED.extensions; at + EXTENDED.head <= data.length;) {
    const [number, bytes] = [data.readUInt16LE(at), data.readUInt16LE(at + 2)];
    const value = data.subarray(at + EXTENDED.head, at + EXTENDED.head + bytes);
    if (number === TRANSFER_FEE.number)
      return TRANSFER_FEE.basisPoints.some((offset) => value.readUInt16LE(offset) > 0);
    // Only padding follows.
    if (number === 0) return false;
    at += EXTENDED.head + bytes;
  }
  return false;
}

export const isWallet = ({ program }: Account): boolean => program === SYSTEM_PROGRAM;

/** The account with an owner's balance: their own address for the coin, an associated token account for a token. */
export interface Holding {
  readonly owner: string;
  readonly account: string;
  readonly isToken: boolean;
}

export function holdingOf(owner: string, mint: string | null, program: string): Holding {
  if (mint === null) return { owner, account: owner, isToken: false };
  return { owner, account: associatedTokenAccount(owner, mint, program), isToken: true };
}

/** Whether `owner` owns the token account. */
export const isOwnedBy = (owner: string, { data }: Account): boolean =>
  encodeBase58(data.subarray(TOKEN_ACCOUNT.owner, TOKEN_ACCOUNT.units)) === owner;

/** The balance; null if too large for JSON. A token account that now belongs to another owner counts as empty. */
export function unitsIn({ owner, isToken }: Holding, account: Account | null | undefined): bigint | null {
  if (!account) return 0n;
  if (!isToken) return account.lamports;
  const { data } = account;
  return isOwnedBy(owner, account) && data.length >= TOKEN_ACCOUNT.bytes
    ? data.readBigUInt64LE(TOKEN_ACCOUNT.units)
    : 0n;
}

/** The balance before a transaction; undefined if the transaction does not involve the account. */
export function unitsBefore({ owner, account, isToken }: Holding, transaction: RpcTransaction) {
  const position = transaction.accounts.indexOf(account);
  if (position < 0) return undefined;
  if (!isToken) return transaction.before[position] ?? null;
  const balance = transaction.tokensBefore.find((tokens) => tokens.position === position);
  return balance?.owner === owner ? balance.units : 0n;
}
