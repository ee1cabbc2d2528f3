// The node's JSON read into types. A missing answer is null; one of the wrong shape throws, because it cannot be acted on.

import type { BlockHead } from '../adapter.ts';

/** What is read of a transaction, in a block or waiting. Hex is lower case. */
export interface WireTransaction {
  readonly hash: string;
  /** Null when the transaction creates a contract. */
  readonly to: string | null;
  readonly value: bigint;
  /** Call data. */
  readonly input: string;
  /** The block it is in; null while it waits. */
  readonly blockHash: string | null;
}

export interface WireBlock extends BlockHead {
  readonly transactions: readonly WireTransaction[];
}

/** `logs` in the order of the transaction's own execution; each is read, or passed over, on its own. */
export interface WireReceipt {
  readonly txHash: string;
  readonly blockHash: string;
  readonly height: number;
  readonly succeeded: boolean;
  readonly logs: readonly unknown[];
}

/** An answer whose shape is not the specification's (execution-apis). */
export class MalformedAnswer extends Error {}

type Fields = Record<string, unknown>;

/** Reads a block without its transactions; null for a block that is not there. */
export function readHead(answer: unknown): BlockHead | null {
  if (answer === null) return null;
  const block = fieldsOf(answer, 'block');
  return {
    hash: hashOf(block.hash, 'block hash'),
    parentHash: hashOf(block.parentHash, 'parent hash'),
    height: integerOf(block.number, 'block number'),
    time: new Date(integerOf(block.timestamp, 'block time') * 1_000),
  };
}

/** Reads a block asked for with full transactions; null for a block that is not there. */
export function readBlock(answer: unknown): WireBlock | null {
  const head = readHead(answer);
  return (
    head && {
      ...head,
      transactions: listOf(fieldsOf(answer, 'block').transactions, 'transactions').map(readTransaction),
    }
  );
}

/** Reads the transactions of the node's own pending block, which has no hash on some nodes. */
export function readPendingBlock(answer: unknown): { height: number; transactions: WireTransaction[] } | null {
  if (answer === null) return null;
  const block = fieldsOf(answer, 'pending block');
  if (block.number === null) return null;
  const transactions = listOf(block.transactions, 'transactions').map(readTransaction);
  return { height: integerOf(block.number, 'block number'), transactions };
}

/** Reads `txpool_content`'s executable half. The queued half waits for transactions that nobody has seen, and says nothing. */
export function readPool(answer: unknown): WireTransaction[] {
  const pending = fieldsOf(fieldsOf(answer, 'pool').pending, 'pool');
  return Object.values(pending).flatMap((byNonce) => Object.values(fieldsOf(byNonce, 'pool')).map(readTransaction));
}

export function readTransaction(answer: unknown): WireTransaction {
  const transaction = fieldsOf(answer, 'transaction');
  const { to, input, blockHash } = transaction;
  return {
    hash: hashOf(transaction.hash, 'transaction hash'),
    to: to === null || to === undefined ? null : hexOf(to, 'receiver', 20),
    value: quantityOf(transaction.value, 'value'),
    input: hexOf(input, 'input'),
    blockHash: blockHash === null || blockHash === undefined ? null : hashOf(blockHash, 'block hash'),
  };
}

/** Reads a receipt; null while the transaction is in no block. */
export function readReceipt(answer: unknown): WireReceipt | null {
  if (answer === null) return null;
  const receipt = fieldsOf(answer, 'receipt');
  return {
    txHash: hashOf(receipt.transactionHash, 'transaction hash'),
    blockHash: hashOf(receipt.blockHash, 'block hash'),
    height: integerOf(receipt.blockNumber, 'block number'),
    succeeded: quantityOf(receipt.status, 'status') === 1n,
    logs: listOf(receipt.logs, 'logs'),
  };
}

/** Reads `eth_getBlockReceipts`; null for a block that the node does not know. */
export function readReceipts(answer: unknown): WireReceipt[] | null {
  if (answer === null) return null;
  return listOf(answer, 'receipts')
    .map(readReceipt)
    .filter((receipt) => receipt !== null);
}

/** The hashes of the transactions that logs belong to, each once. */
export function readLogOwners(answer: unknown): string[] {
  const hashes = listOf(answer, 'logs').map((log) => hashOf(fieldsOf(log, 'log').transactionHash, 'transaction hash'));
  return [...new Set(hashes)];
}

/** Reads a quantity (`0x1f`) that must be a safe integer, such as a height or a chain id. */
export function integerOf(value: unknown, what: string): number {
  const integer = Number(quantityOf(value, what));
  if (!Number.isSafeInteger(integer)) throw new MalformedAnswer(`the ${what} is too large`);
  return integer;
}

/** Reads a quantity of any size. */
export function quantityOf(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value))
    throw new MalformedAnswer(`the ${what} is no quantity`);
  return BigInt(value);
}

function hashOf(value: unknown, what: string): string {
  return hexOf(value, what, 32);
}

export function hexOf(value: unknown, what: string, bytes?: number): string {
  const isHex = typeof value === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(value);
  if (!isHex || (bytes !== undefined && value.length !== 2 + 2 * bytes))
    throw new MalformedAnswer(`the ${what} is not hex data`);
  return value.toLowerCase();
}

export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new MalformedAnswer(`the ${what} is no object`);
  return value as Fields;
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new MalformedAnswer(`the ${what} are no list`);
  return value;
}
