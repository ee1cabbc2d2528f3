// Parses the JSON of Solana nodes into types. A value of the wrong shape throws `InvalidResponse`.

import type { BlockHead } from '../blocks.ts';
import { decodeBase58 } from '../base58.ts';
import { fieldsOf, listOf, InvalidResponse } from '../invalid-response.ts';

export { fieldsOf, listOf, InvalidResponse } from '../invalid-response.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A block's head. Its `height` is its slot, because blocks are requested by slot. */
export interface RpcHead extends BlockHead {
  /** Slots without a block may lie between it and the block's own slot. */
  readonly parentSlot: number;
  /** The number of blocks before it, in which the validity of transactions is counted. */
  readonly blockHeight: number;
}

/** Only the fields of `BlockHead`. */
export function headOf({ hash, height, parentHash, time }: BlockHead): BlockHead {
  return { hash, height, parentHash, time };
}

export interface RpcBlock extends RpcHead {
  readonly transactions: readonly RpcTransaction[];
}

/** A transaction's effect on its accounts. Lists are in the order of `accounts`. */
export interface RpcTransaction {
  /** Its first signature. */
  readonly id: string;
  readonly succeeded: boolean;
  /** The network fee in lamports. */
  readonly fee: bigint;
  readonly accounts: readonly string[];
  /** How many accounts signed: the first ones. */
  readonly signers: number;
  /** Lamports before and after; null if too large for JSON, which is above nine million SOL. */
  readonly before: readonly (bigint | null)[];
  readonly after: readonly (bigint | null)[];
  readonly tokensBefore: readonly RpcTokenBalance[];
  readonly tokensAfter: readonly RpcTokenBalance[];
}

/** The balance of a token account. */
export interface RpcTokenBalance {
  readonly position: number;
  readonly mint: string;
  readonly owner: string;
  readonly program: string;
  readonly units: bigint;
}

export function readHead(answer: unknown, slot: number): RpcHead {
  const block = fieldsOf(answer, 'block');
  // Only very old blocks have no time.
  const seconds = integerOf(block.blockTime, 'block time');
  return {
    hash: hashOf(block.blockhash, 'block hash'),
    height: slot,
    parentHash: hashOf(block.previousBlockhash, 'parent hash'),
    time: new Date(seconds * 1_000),
    parentSlot: integerOf(block.parentSlot, 'parent slot'),
    blockHeight: integerOf(block.blockHeight, 'block height'),
  };
}

/** Parses a block with its transactions (`transactionDetails: 'accounts'`). */
export function readBlock(answer: unknown, slot: number): RpcBlock {
  const { transactions } = fieldsOf(answer, 'block');
  return {
    ...readHead(answer, slot),
    transactions: listOf(transactions, 'transactions').map((entry) => {
      const { transaction, meta } = fieldsOf(entry, 'transaction');
      const { signatures, accountKeys } = fieldsOf(transaction, 'transaction');
      const accounts = listOf(accountKeys, 'accounts').map((key) => textOf(fieldsOf(key, 'account').pubkey, 'account'));
      return readTransaction(signatures, accounts, meta);
    }),
  };
}

/** Parses `getTransaction`. Accounts from lookup tables come after the transaction's own. */
export function readOne(answer: unknown): { slot: number; transaction: RpcTransaction } {
  const { slot, transaction, meta } = fieldsOf(answer, 'transaction');
  const { signatures, message } = fieldsOf(transaction, 'transaction');
  const { loadedAddresses } = fieldsOf(meta, 'result');
  const loaded = loadedAddresses == null ? {} : fieldsOf(loadedAddresses, 'loaded addresses');
  const accounts = [fieldsOf(message, 'message').accountKeys, loaded.writable ?? [], loaded.readonly ?? []].flatMap(
    (keys) => listOf(keys, 'accounts').map((key) => textOf(key, 'account')),
  );
  return { slot: integerOf(slot, 'slot'), transaction: readTransaction(signatures, accounts, meta) };
}

function readTransaction(signatures: unknown, accounts: readonly string[], answer: unknown): RpcTransaction {
  const meta = fieldsOf(answer, 'result');
  const { 0: id, length: signers } = listOf(signatures, 'signatures');
  const before = listOf(meta.preBalances, 'balances').map(lamportsOf);
  const after = listOf(meta.postBalances, 'balances').map(lamportsOf);
  if (before.length !== accounts.length || after.length !== accounts.length)
    throw new InvalidResponse('a transaction lacks the balance of an account');
  return {
    ...{ id: textOf(id, 'signature'), succeeded: meta.err === null, accounts, signers, before, after },
    fee: BigInt(integerOf(meta.fee, 'fee')),
    tokensBefore: listOf(meta.preTokenBalances ?? [], 'token balances').map(readTokens),
    tokensAfter: listOf(meta.postTokenBalances ?? [], 'token balances').map(readTokens),
  };
}

function readTokens(answer: unknown): RpcTokenBalance {
  const balance = fieldsOf(answer, 'token balance');
  const { amount } = fieldsOf(balance.uiTokenAmount, 'token amount');
  return {
    position: integerOf(balance.accountIndex, 'account index'),
    mint: textOf(balance.mint, 'mint'),
    // Nodes omit these two only for blocks before 2022.
    owner: textOf(balance.owner, 'owner'),
    program: textOf(balance.programId, 'program'),
    units: unitsOf(amount, 'token amount'),
  };
}

function lamportsOf(value: unknown): bigint | null {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw new InvalidResponse('a balance is not a whole number');
  return Number.isSafeInteger(value) ? BigInt(value) : null;
}

/** Parses a whole number in decimal digits. */
export function unitsOf(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^\d{1,20}$/.test(value)) throw new InvalidResponse(`the ${what} is not a number`);
  return BigInt(value);
}

/** Checks for a safe non-negative integer. */
export function integerOf(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidResponse(`the ${what} is not a whole number`);
  return value;
}

function hashOf(value: unknown, what: string): string {
  const hash = textOf(value, what);
  if (decodeBase58(hash)?.length !== 32) throw new InvalidResponse(`the ${what} does not have 32 bytes`);
  return hash;
}

export function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || value === '') throw new InvalidResponse(`the ${what} is not text`);
  return value;
}
