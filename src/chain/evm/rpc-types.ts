// The node's JSON read into types. A missing answer is null; one of the wrong shape throws, because it cannot be acted on.

import type { BlockHead } from '../blocks.ts';
import { fieldsOf, listOf, InvalidResponse } from '../invalid-response.ts';

export { fieldsOf } from '../invalid-response.ts';

/** What is read of a transaction, in a block or waiting. Hex is lower case. */
export interface RpcTransaction {
  readonly hash: string;
  /** Null when the transaction creates a contract. */
  readonly to: string | null;
  readonly value: bigint;
  /** Call data. */
  readonly input: string;
  /** The block it is in; null while it waits. */
  readonly blockHash: string | null;
  /** `<sender>:<nonce>`, which no two mined transactions share; null where the node does not say. */
  readonly spends: string | null;
  /** It pays nothing for its gas: one that the chain makes itself, such as a rollup's or a validator's. */
  readonly isFree: boolean;
}

export interface RpcBlock extends BlockHead {
  readonly transactions: readonly RpcTransaction[];
}

/** `logs` in the order of the transaction's own execution; each is read, or passed over, on its own. */
export interface RpcReceipt {
  readonly txHash: string;
  readonly blockHash: string;
  readonly height: number;
  readonly succeeded: boolean;
  readonly logs: readonly unknown[];
}

/** One call, creation or self-destruction while a transaction ran (the `trace_` namespace of OpenEthereum's RPC). */
export interface RpcTrace {
  readonly txHash: string;
  readonly blockHash: string;
  /** Where in the tree of calls: empty for the transaction itself, `[2, 0]` for the first call of its third one. */
  readonly path: readonly number[];
  /** It was undone, with everything below it. */
  readonly failed: boolean;
  /** The coin that it moved, and to whom; null where it moved none, whether or not it failed. */
  readonly payment: { readonly receiver: string; readonly units: bigint } | null;
}

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
export function readBlock(answer: unknown): RpcBlock | null {
  const head = readHead(answer);
  return (
    head && {
      ...head,
      transactions: listOf(fieldsOf(answer, 'block').transactions, 'transactions').map(readTransaction),
    }
  );
}

/** Reads the transactions of the node's own pending block, which has no hash on some nodes. */
export function readPendingBlock(answer: unknown): { height: number; transactions: RpcTransaction[] } | null {
  if (answer === null) return null;
  const block = fieldsOf(answer, 'pending block');
  if (block.number === null) return null;
  const transactions = listOf(block.transactions, 'transactions').map(readTransaction);
  return { height: integerOf(block.number, 'block number'), transactions };
}

/** Reads `txpool_content`'s executable half. The queued half waits for transactions that nobody has seen, and says nothing. */
export function readPool(answer: unknown): RpcTransaction[] {
  const pending = fieldsOf(fieldsOf(answer, 'pool').pending, 'pool');
  return Object.values(pending).flatMap((byNonce) => Object.values(fieldsOf(byNonce, 'pool')).map(readTransaction));
}

export function readTransaction(answer: unknown): RpcTransaction {
  const transaction = fieldsOf(answer, 'transaction');
  const { to, input, blockHash, from, nonce, gasPrice } = transaction;
  return {
    hash: hashOf(transaction.hash, 'transaction hash'),
    to: to === null || to === undefined ? null : hexOf(to, 'receiver', 20),
    value: quantityOf(transaction.value, 'value'),
    input: hexOf(input, 'input'),
    blockHash: blockHash === null || blockHash === undefined ? null : hashOf(blockHash, 'block hash'),
    spends: from == null || nonce == null ? null : `${hexOf(from, 'sender', 20)}:${integerOf(nonce, 'nonce')}`,
    isFree: gasPrice != null && quantityOf(gasPrice, 'price of gas') === 0n,
  };
}

/** Reads a receipt; null while the transaction is in no block. */
export function readReceipt(answer: unknown): RpcReceipt | null {
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
export function readReceipts(answer: unknown): RpcReceipt[] | null {
  if (answer === null) return null;
  return listOf(answer, 'receipts')
    .map(readReceipt)
    .filter((receipt) => receipt !== null);
}

/** Reads `trace_block`, rewards of the block's producer left out; null for a block that the node does not know. */
export function readTraces(answer: unknown): RpcTrace[] | null {
  if (answer === null) return null;
  return listOf(answer, 'traces')
    .map((trace) => fieldsOf(trace, 'trace'))
    .filter(({ transactionHash }) => transactionHash !== null && transactionHash !== undefined)
    .map((trace) => ({
      txHash: hashOf(trace.transactionHash, 'transaction hash'),
      blockHash: hashOf(trace.blockHash, 'block hash'),
      path: listOf(trace.traceAddress, 'trace address').map(positionOf),
      failed: trace.error !== undefined && trace.error !== null,
      payment: paymentOf(trace),
    }));
}

function paymentOf({ type, action: answer, result }: Fields): RpcTrace['payment'] {
  const action = fieldsOf(answer, 'action');
  // Others than plain calls run foreign code with the caller's money, and say its value without moving it.
  if (type === 'call' && action.callType === 'call') return paid(action.to, action.value);
  if (type === 'create' && result != null) return paid(fieldsOf(result, 'result').address, action.value);
  const isEnd = type === 'suicide' || type === 'selfdestruct';
  return isEnd && action.refundAddress !== action.address ? paid(action.refundAddress, action.balance) : null;
}

function paid(receiver: unknown, value: unknown): RpcTrace['payment'] {
  const units = quantityOf(value, 'value');
  return units === 0n ? null : { receiver: hexOf(receiver, 'receiver', 20), units };
}

function positionOf(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new InvalidResponse('a trace has no address');
  return value;
}

/** The hashes of the transactions that logs belong to, each once. */
export function readLogOwners(answer: unknown): string[] {
  const hashes = listOf(answer, 'logs').map((log) => hashOf(fieldsOf(log, 'log').transactionHash, 'transaction hash'));
  return [...new Set(hashes)];
}

/** Reads a quantity (`0x1f`) that must be a safe integer, such as a height or a chain id. */
export function integerOf(value: unknown, what: string): number {
  const integer = Number(quantityOf(value, what));
  if (!Number.isSafeInteger(integer)) throw new InvalidResponse(`the ${what} is too large`);
  return integer;
}

/** Reads a quantity of any size. */
export function quantityOf(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value))
    throw new InvalidResponse(`the ${what} is no quantity`);
  return BigInt(value);
}

function hashOf(value: unknown, what: string): string {
  return hexOf(value, what, 32);
}

export function hexOf(value: unknown, what: string, bytes?: number): string {
  const isHex = typeof value === 'string' && /^0x(?:[0-9a-f]{2})*$/i.test(value);
  if (!isHex || (bytes !== undefined && value.length !== 2 + 2 * bytes))
    throw new InvalidResponse(`the ${what} is not hex data`);
  return value.toLowerCase();
}
