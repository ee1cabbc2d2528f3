// The node's JSON read into types. What has the wrong shape throws, because it cannot be acted on. Amounts are never taken
// from JSON numbers: the coin's are read from the signed bytes, tokens' from the hex of their logs.

import type { BlockHead } from '../blocks.ts';
import { transactionId } from './transaction.ts';
import { fieldsOf, listOf, InvalidResponse } from '../invalid-response.ts';

export { fieldsOf, listOf, InvalidResponse } from '../invalid-response.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** What is read of a transaction in a block. Hex is lower case, without `0x`. */
export interface RpcTransaction {
  readonly id: string;
  /** The signed bytes, whose digest is the id. */
  readonly raw: Buffer;
  /** By the block's own word (`contractRet`). */
  readonly succeeded: boolean;
}

export interface RpcBlock extends BlockHead {
  readonly transactions: readonly RpcTransaction[];
}

/** What became of a transaction. */
export interface RpcInfo {
  readonly id: string;
  readonly height: number;
  /** Milliseconds. */
  readonly blockTime: number;
  readonly failed: boolean;
  /** What was taken from its sender, in sun. */
  readonly fee: bigint;
  readonly logs: readonly RpcLog[];
}

/** `address` is the contract's 20 bytes, without the prefix of TRON's addresses. */
export interface RpcLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** Reads a block's head; null for a block that is not there (`{}`). */
export function readHead(answer: Fields): BlockHead | null {
  if (answer.blockID === undefined) return null;
  const raw = fieldsOf(fieldsOf(answer.block_header, 'block header').raw_data, 'block header');
  const hash = hashOf(answer.blockID, 'block id');
  // The first block has no number, as it is zero.
  const height = raw.number === undefined ? 0 : integerOf(raw.number, 'block number');
  // A block's id begins with its height: one that does not is not this block's.
  if (BigInt(`0x${hash.slice(0, 16)}`) !== BigInt(height)) throw new InvalidResponse('a block has the id of another');
  const parentHash = hashOf(raw.parentHash, 'parent hash');
  return {
    hash,
    height,
    parentHash,
    time: new Date(raw.timestamp === undefined ? 0 : integerOf(raw.timestamp, 'time')),
  };
}

/** Reads a block with its transactions; null for a block that is not there. */
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

/** Reads what became of a transaction; null while it is in no block (`{}`). */
export function readInfo(answer: unknown): RpcInfo | null {
  const info = fieldsOf(answer, 'transaction info');
  if (info.id === undefined) return null;
  return {
    id: hashOf(info.id, 'transaction id'),
    height: integerOf(info.blockNumber, 'block number'),
    blockTime: integerOf(info.blockTimeStamp, 'block time'),
    // Absent means that it succeeded, as it is the enumeration's zero.
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

/** A whole number that JSON carries without loss, not negative. */
export function integerOf(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidResponse(`the ${what} is no whole number`);
  return value;
}

function hashOf(value: unknown, what: string): string {
  const hash = hexOf(value, what);
  if (hash.length !== 64) throw new InvalidResponse(`the ${what} has not 32 bytes`);
  return hash;
}

export function hexOf(value: unknown, what: string): string {
  if (typeof value !== 'string' || !/^(?:[0-9a-f]{2})*$/i.test(value))
    throw new InvalidResponse(`the ${what} is not hex data`);
  return value.toLowerCase();
}
