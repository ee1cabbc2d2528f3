// Parses the JSON of EVM nodes into types. A missing object is null; one of the wrong shape throws `InvalidResponse`.

import type { BlockHead } from '../blocks.ts';
import { fieldsOf, listOf, InvalidResponse } from '../invalid-response.ts';

export { fieldsOf } from '../invalid-response.ts';

/** A transaction, mined or waiting. Hex is lower case. */
export interface RpcTransaction {
  readonly hash: string;
  /** Null if the transaction creates a contract. */
  readonly to: string | null;
  readonly value: bigint;
  /** Call data. */
  readonly input: string;
  /** Null while the transaction waits. */
  readonly blockHash: string | null;
  /** `<sender>:<nonce>`, which no two mined transactions share; null if the node does not say. */
  readonly spends: string | null;
  /** Pays nothing for gas: the chain makes such transactions itself, for a rollup or for validators. */
  readonly isFree: boolean;
}

export interface RpcBlock extends BlockHead {
  readonly transactions: readonly RpcTransaction[];
}

/** `logs` are in order of execution. Each is parsed later; an unreadable one is skipped. */
export interface RpcReceipt {
  readonly txHash: string;
  readonly blockHash: string;
  readonly height: number;
  readonly succeeded: boolean;
  readonly logs: readonly unknown[];
}

/** One call, contract creation or self-destruct within a transaction (OpenEthereum's `trace_` namespace). */
export interface RpcTrace {
  readonly txHash: string;
  readonly blockHash: string;
  /** Position in the call tree: empty for the transaction itself, `[2, 0]` for the first call of its third call. */
  readonly path: readonly number[];
  /** It was reverted, together with everything below it. */
  readonly failed: boolean;
  /** The coin payment it made, even if it failed; null if it moved no coin. */
  readonly payment: { readonly receiver: string; readonly units: bigint } | null;
}

type Fields = Record<string, unknown>;

/** Null for a missing block. */
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

/** Parses a block that was requested with full transactions; null for a missing block. */
export function readBlock(answer: unknown): RpcBlock | null {
  const head = readHead(answer);
  return (
    head && {
      ...head,
      transactions: listOf(fieldsOf(answer, 'block').transactions, 'transactions').map(readTransaction),
    }
  );
}

/** Parses the node's pending block, which has no hash on some nodes. */
export function readPendingBlock(answer: unknown): { height: number; transactions: RpcTransaction[] } | null {
  if (answer === null) return null;
  const block = fieldsOf(answer, 'pending block');
  if (block.number === null) return null;
  const transactions = listOf(block.transactions, 'transactions').map(readTransaction);
  return { height: integerOf(block.number, 'block number'), transactions };
}

/** Parses the `pending` half of `txpool_content`. The `queued` half waits for missing nonces and is ignored. */
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

/** Null while the transaction is in no block. */
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

/** Parses `eth_getBlockReceipts`; null for an unknown block. */
export function readReceipts(answer: unknown): RpcReceipt[] | null {
  if (answer === null) return null;
  return listOf(answer, 'receipts')
    .map(readReceipt)
    .filter((receipt) => receipt !== null);
}

/** Parses `trace_block` without block rewards; null for an unknown block. */
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
  // Other call types (such as DELEGATECALL) run foreign code in the caller's context: their value does not move.
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

/** The distinct transaction hashes of logs. */
export function readLogOwners(answer: unknown): string[] {
  const hashes = listOf(answer, 'logs').map((log) => hashOf(fieldsOf(log, 'log').transactionHash, 'transaction hash'));
  return [...new Set(hashes)];
}

/** Parses a quantity (`0x1f`) that must be a safe integer, such as a height or a chain id. */
export function integerOf(value: unknown, what: string): number {
  const integer = Number(quantityOf(value, what));
  if (!Number.isSafeInteger(integer)) throw new InvalidResponse(`the ${what} is too large`);
  return integer;
}

/** Parses a quantity of any size. */
export function quantityOf(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value))
    throw new InvalidResponse(`the ${what} is not a quantity`);
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
