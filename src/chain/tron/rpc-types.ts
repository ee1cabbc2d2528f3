// Parses the JSON of TRON nodes into types. A value of the wrong shape throws `InvalidResponse`. Amounts are not read
// from JSON numbers, but from the signed bytes (the coin) and the hex of logs (tokens).

import type { BlockHead } from '../blocks.ts';
import { transactionId } from './transaction.ts';
import { fieldsOf, listOf, InvalidResponse } from '../invalid-response.ts';

export { fieldsOf, listOf, InvalidResponse } from '../invalid-response.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A transaction in a block. Hex is lower case, without `0x`. */
export interface RpcTransaction {
  readonly id: string;
  /** The signed bytes. Their SHA-256 is the id. */
  readonly raw: Buffer;
  /** From `contractRet` in the block. */
  readonly succeeded: boolean;
}

export interface RpcBlock extends BlockHead {
  readonly transactions: readonly RpcTransaction[];
}

/** The result of a mined transaction. */
export interface RpcInfo {
  readonly id: string;
  readonly height: number;
  /** Milliseconds. */
  readonly blockTime: number;
  readonly failed: boolean;
  /** What the sender was charged, in sun. */
  readonly fee: bigint;
  readonly logs: readonly RpcLog[];
}

/** `address` is the contract's 20 bytes, without the address prefix. */
export interface RpcLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** Null for a missing block (`{}`). */
export function readHead(answer: Fields): BlockHead | null {
  if (answer.blockID === undefined) return null;
  const raw = fieldsOf(fieldsOf(answer.block_header, 'block header').raw_data, 'block header');
  const hash = hashOf(answer.blockID, 'block id');
  // The first block has no number, because zero is omitted.
  const height = raw.number === undefined ? 0 : integerOf(raw.number, 'block number');
  // A block's id begins with its height.
  if (BigInt(`0x${hash.slice(0, 16)}`) !== BigInt(height)) throw new InvalidResponse('a block has the id of another');
  const parentHash = hashOf(raw.parentHash, 'parent hash');
  return {
    hash,
    height,
    parentHash,
    time: new Date(raw.timestamp === undefined ? 0 : integerOf(raw.timestamp, 'time')),
  };
}

/** Null for a missing block. */
export function readBlock(answer: Fields): RpcBlock | null {
  const head = readHead(answer);
  return head && { ...head, transactions: listOf(answer.transactions ?? [], 'transactions').map(readTransaction) };
}

function readTransaction(answer: unknown): RpcTransaction {
  const transaction = fieldsOf(answer, 'transaction');
  const raw = Buffer.from(hexOf(transaction.raw_data_hex, 'signed bytes'), 'hex');
  const id = hashOf(transaction.txID, 'transaction id');
  if (!transactionId(raw).equals(Buffer.from(id, 'hex')))
    throw new InvalidResponse('a transaction has the id of another');
  const [result] = listOf(transaction.ret ?? [], 'results');
  return { id, raw, succeeded: result !== undefined && fieldsOf(result, 'result').contractRet === 'SUCCESS' };
}

/** Null while the transaction is in no block (`{}`). */
export function readInfo(answer: unknown): RpcInfo | null {
  const info = fieldsOf(answer, 'transaction info');
  if (info.id === undefined) return null;
  return {
    id: hashOf(info.id, 'transaction id'),
    height: integerOf(info.blockNumber, 'block number'),
    blockTime: integerOf(info.blockTimeStamp, 'block time'),
    // Absent means success, the zero of the enumeration.
    failed: info.result === 'FAILED',
    fee: BigInt(info.fee === undefined ? 0 : integerOf(info.fee, 'fee')),
    logs: listOf(info.log ?? [], 'logs').map(readLog),
  };
}

function readLog(answer: unknown): RpcLog {
  const log = fieldsOf(answer, 'log');
  return {
    address: hexOf(log.address ?? '', 'log address'),
    topics: listOf(log.topics ?? [], 'topics').map((topic) => hexOf(topic, 'topic')),
    data: hexOf(log.data ?? '', 'log data'),
  };
}

/** Checks for a safe non-negative integer. */
export function integerOf(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidResponse(`the ${what} is not a whole number`);
  return value;
}

function hashOf(value: unknown, what: string): string {
  const hash = hexOf(value, what);
  if (hash.length !== 64) throw new InvalidResponse(`the ${what} does not have 32 bytes`);
  return hash;
}

export function hexOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^(?:[0-9a-f]{2})*$/i.test(value))
    throw new InvalidResponse(`the ${what} is not hex data`);
  return value.toLowerCase();
}
