// Accounts as the node shows them: wallets, token accounts and mints.

import { associatedTokenAccount, SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './address.ts';
import { encodeBase58 } from '../base58.ts';
import type { SolanaNode } from './node.ts';
import { fieldsOf, integerOf, listOf, InvalidResponse, textOf, type RpcTransaction } from './rpc-types.ts';

export interface Account {
  /** Null where JSON cannot carry the number. */
  readonly lamports: bigint | null;
  /** The program that it belongs to; a wallet belongs to the system program. */
  readonly program: string;
  readonly data: Buffer;
}

/** What an account held, and the slot after which it did. */
export interface AccountSnapshot {
  readonly slot: number;
  readonly accounts: readonly (Account | null)[];
}

/** Accounts that a node answers for at once. */
const AT_ONCE = 100;
/** The parts of a token account: its mint and its owner, 32 bytes each, then what it holds. */
const TOKEN_ACCOUNT = { owner: 32, units: 64, bytes: 165 };
/** Where a mint says how many decimals it has, and how long it is at least. */
const MINT = { decimals: 44, bytes: 82 };
/**
 * Accounts of the newer program say behind the length of a token account what they are, and then list extensions, each
 * with its number and length in 16 bits.
 */
const EXTENDED = { kind: 165, isMint: 1, extensions: 166, head: 4 };
/**
 * The extension by which a mint keeps a part of each transfer: in hundredths of a percent, until an epoch and from it
 * on.
 */
const TRANSFER_FEE = { number: 1, basisPoints: [88, 106] };

/** Reads accounts, all as of one slot; null for those that are not there. At most a hundred. */
export async function readAccounts(node: SolanaNode, keys: readonly string[]): Promise<AccountSnapshot> {
  if (keys.length > AT_ONCE) throw new Error(`At most ${String(AT_ONCE)} accounts are read at once`);
  const options = { commitment: 'confirmed', encoding: 'base64' };
  const answer = fieldsOf(await node.call('getMultipleAccounts', [keys, options]), 'accounts');
  const accounts = listOf(answer.value, 'accounts').map((value) => (value === null ? null : readAccount(value)));
  if (accounts.length !== keys.length) throw new InvalidResponse('there is not an answer for each account');
  return { slot: integerOf(fieldsOf(answer.context, 'context').slot, 'slot'), accounts };
}

function readAccount(answer: unknown): Account {
  const { lamports, owner, data } = fieldsOf(answer, 'account');
  const [text] = listOf(data, 'account data');
  if (typeof text !== 'string') throw new InvalidResponse('the account data are no text');
  return {
    lamports: Number.isSafeInteger(lamports) ? BigInt(integerOf(lamports, 'balance')) : null,
    program: textOf(owner, 'program'),
    data: Buffer.from(text, 'base64'),
  };
}

/** A token's mint: the program that it belongs to, and its decimals. */
export interface Mint {
  readonly program: string;
  readonly decimals: number;
  /** Whether a part of each transfer is kept, now or from an epoch on. */
  readonly takesFee: boolean;
}

/** Reads a mint of either token program; null where there is none. */
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
    // Nothing but room follows.
    if (number === 0) return false;
    at += EXTENDED.head + bytes;
  }
  return false;
}

export const isWallet = ({ program }: Account): boolean => program === SYSTEM_PROGRAM;

/** Which account holds what: an owner's coin is in the account of their address, their tokens are in one beside it. */
export interface Holding {
  readonly owner: string;
  readonly account: string;
  readonly isToken: boolean;
}

export function holdingOf(owner: string, mint: string | null, program: string): Holding {
  if (mint === null) return { owner, account: owner, isToken: false };
  return { owner, account: associatedTokenAccount(owner, mint, program), isToken: true };
}

/** Whether a token account belongs to a key. */
export const isOwnedBy = (owner: string, { data }: Account): boolean =>
  encodeBase58(data.subarray(TOKEN_ACCOUNT.owner, TOKEN_ACCOUNT.units)) === owner;

/** What is in a place; null where JSON could not carry it. A token account that was handed to another is not ours. */
export function unitsIn({ owner, isToken }: Holding, account: Account | null | undefined): bigint | null {
  if (!account) return 0n;
  if (!isToken) return account.lamports;
  const { data } = account;
  return isOwnedBy(owner, account) && data.length >= TOKEN_ACCOUNT.bytes
    ? data.readBigUInt64LE(TOKEN_ACCOUNT.units)
    : 0n;
}

/** What was in a place before a transaction; undefined when the transaction does not name it. */
export function unitsBefore({ owner, account, isToken }: Holding, transaction: RpcTransaction) {
  const position = transaction.accounts.indexOf(account);
  if (position < 0) return undefined;
  if (!isToken) return transaction.before[position] ?? null;
  const held = transaction.tokensBefore.find((tokens) => tokens.position === position);
  return held?.owner === owner ? held.units : 0n;
}
