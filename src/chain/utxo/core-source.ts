// Reads UTXO chains from the operator's own node (Bitcoin Core, Litecoin Core), which needs a transaction index.

import type { Network } from '../../values/assets.ts';
import type { BlockHead, BlockRef, TxState } from '../blocks.ts';
import { TransactionRefused } from '../errors.ts';
import type { HttpOptions } from './http.ts';
import { createRpc, RpcError, type Rpc } from './rpc.ts';
import {
  readOutpoint,
  rejectionIn,
  isAlreadyKnown,
  unitsOf,
  type ChainOutput,
  type Source,
  type BlockStatus,
} from './source.ts';

/** Fees are estimated for confirmation within this many blocks. */
const TARGET_BLOCKS = 3;
const BYTES_PER_KB = 1_000n;
const HASH = /^[0-9a-f]{64}$/;

interface Deps {
  readonly network: Network;
  readonly rpc: Rpc;
}

/** `isOwnChain`: blocks are mined on demand, so an old tip does not mean that the node is still syncing. */
export function createCoreSource(options: HttpOptions & { readonly isOwnChain: boolean }): Source {
  const deps: Deps = { network: options.network, rpc: createRpc(options) };
  const { rpc } = deps;
  return {
    verify: () => assertIndex(deps),
    isLoading: async () => {
      const { initialblockdownload } = fields(deps, await rpc.call('getblockchaininfo'), 'getblockchaininfo');
      return !options.isOwnChain && initialblockdownload !== false;
    },
    tip: async () => {
      const status = await blockStatus(deps, hashOf(deps, await rpc.call('getbestblockhash')));
      return status?.head ?? rpc.fail('the node does not know its own tip');
    },
    hashAt: (height) => orNull(async () => hashOf(deps, await rpc.call('getblockhash', height))),
    blockStatus: (hash) => blockStatus(deps, hash),
    // Verbosity 0: raw bytes.
    block: async (hash) => bytesOf(deps, await rpc.call('getblock', hash, 0)),
    mempool: async () => hashesOf(deps, await rpc.call('getrawmempool', false)),
    transactions: (txHashes) => readTransactions(deps, txHashes),
    txState: (txHash) => readState(deps, txHash),
    unspent: (outpoints, at) => readUnspent(deps, outpoints, at),
    feeRates: () => readFeeRates(deps),
    broadcast: (raw) => broadcast(deps, raw),
  };
}

/** Null if the node does not have it. */
async function orNull<Value>(ask: () => Promise<Value>): Promise<Value | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RpcError && error.isNotFound) return null;
    throw error;
  }
}

/** Without the index, a mined transaction would look like an unknown one. */
async function assertIndex(deps: Deps): Promise<void> {
  const { txindex } = fields(deps, await deps.rpc.call('getindexinfo', 'txindex'), 'getindexinfo');
  if (typeof txindex !== 'object' || txindex === null) deps.rpc.fail('the node has no transaction index (txindex=1)');
  if (fields(deps, txindex, 'getindexinfo').synced !== true) deps.rpc.fail('the node is still indexing transactions');
}

async function blockStatus(deps: Deps, hash: string): Promise<BlockStatus | null> {
  const answer = await orNull(() => deps.rpc.call('getblockheader', hash));
  if (answer === null) return null;
  const { height, time, previousblockhash, nextblockhash, confirmations } = fields(deps, answer, 'getblockheader');
  // -1 for a block that is not canonical.
  const depth = integerOf(deps, confirmations);
  const head: BlockHead = {
    hash,
    height: integerOf(deps, height),
    // Block 0 has no parent.
    parentHash: previousblockhash === undefined ? '0'.repeat(64) : hashOf(deps, previousblockhash),
    time: new Date(integerOf(deps, time) * 1_000),
  };
  const isCanonical = depth > 0;
  return {
    ...{ head, isCanonical },
    nextHash: isCanonical && nextblockhash !== undefined ? hashOf(deps, nextblockhash) : null,
    tipHeight: head.height + Math.max(depth, 1) - 1,
  };
}

async function readTransactions({ rpc, ...deps }: Deps, txHashes: readonly string[]): Promise<Map<string, Buffer>> {
  const answers = await rpc.batch(txHashes.map((hash) => ({ method: 'getrawtransaction', params: [hash, false] })));
  const found = new Map<string, Buffer>();
  for (const [position, hash] of txHashes.entries()) {
    const answer = answers[position];
    if (answer instanceof RpcError && !answer.isNotFound) throw answer;
    if (!(answer instanceof RpcError)) found.set(hash, bytesOf({ rpc, ...deps }, answer));
  }
  return found;
}

/** A transaction that the node finds may be in a block that left the chain, which counts as unknown. */
async function readState(deps: Deps, txHash: string): Promise<TxState> {
  const answer = await orNull(() => deps.rpc.call('getrawtransaction', txHash, true));
  if (answer === null) return { kind: 'unknown' };
  const { blockhash } = fields(deps, answer, 'getrawtransaction');
  if (blockhash === undefined) return { kind: 'mempool' };
  const status = await blockStatus(deps, hashOf(deps, blockhash));
  if (!status?.isCanonical) return { kind: 'unknown' };
  const { hash, height } = status.head;
  return { kind: 'mined', block: { hash, height }, succeeded: true };
}

async function readUnspent(
  deps: Deps,
  outpoints: readonly string[],
  at: BlockRef | undefined,
): Promise<Map<string, ChainOutput> | null> {
  const { rpc } = deps;
  const tip = async () => hashOf(deps, await rpc.call('getbestblockhash'));
  const before = await tip();
  if (at && before !== at.hash) return null;
  const params = outpoints.map(readOutpoint).map(({ txHash, index }) => [txHash, index, false]);
  const answers = await rpc.batch(params.map((one) => ({ method: 'gettxout', params: one })));
  if (at && (await tip()) !== at.hash) return null;
  const found = new Map<string, ChainOutput>();
  for (const [position, outpoint] of outpoints.entries()) {
    const answer = answers[position];
    if (answer instanceof RpcError) throw answer;
    if (answer === null) continue;
    const { value, confirmations, coinbase } = fields(deps, answer, 'gettxout');
    const amount = unitsOf(textOf(value)) ?? rpc.fail('the value of an output is not an amount');
    found.set(outpoint, { amount, confirmations: integerOf(deps, confirmations), isCoinbase: coinbase === true });
  }
  return found;
}

async function readFeeRates(deps: Deps): Promise<{ estimate: bigint | null; least: bigint | null }> {
  const [estimate, pool] = await deps.rpc.batch([
    { method: 'estimatesmartfee', params: [TARGET_BLOCKS] },
    { method: 'getmempoolinfo', params: [] },
  ]);
  for (const answer of [estimate, pool]) if (answer instanceof RpcError) throw answer;
  const { mempoolminfee, minrelaytxfee } = fields(deps, pool, 'getmempoolinfo');
  const rates = [mempoolminfee, minrelaytxfee].map(perByte).filter((rate) => rate !== null);
  return {
    // Absent while the node has seen too few full blocks.
    estimate: perByte(fields(deps, estimate, 'estimatesmartfee').feerate),
    least: rates.reduce<bigint | null>((most, rate) => (most === null || rate > most ? rate : most), null),
  };
}

/** Converts whole coins per 1,000 bytes into base units per byte, rounded up. */
function perByte(value: unknown): bigint | null {
  const units = unitsOf(textOf(value));
  return units === null ? null : (units + BYTES_PER_KB - 1n) / BYTES_PER_KB;
}

/** An amount as written: text if it has a fraction, else possibly a number. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

async function broadcast({ network, rpc }: Deps, raw: string): Promise<'sent' | 'known'> {
  try {
    await rpc.call('sendrawtransaction', raw);
    return 'sent';
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    if (isAlreadyKnown(error.nodeMessage)) return 'known';
    const reason = rejectionIn(error.nodeMessage);
    throw reason === null ? error : new TransactionRefused(network, reason, { cause: error });
  }
}

function fields({ rpc }: Deps, answer: unknown, method: string): Record<string, unknown> {
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as Record<string, unknown>;
  return rpc.fail(`the node's answer to ${method} is malformed`);
}

function hashOf({ rpc }: Deps, value: unknown): string {
  return typeof value === 'string' && HASH.test(value) ? value : rpc.fail('the node answered with an invalid hash');
}

function hashesOf(deps: Deps, value: unknown): string[] {
  return Array.isArray(value)
    ? value.map((one) => hashOf(deps, one))
    : deps.rpc.fail('the node did not answer with a list');
}

function integerOf({ rpc }: Deps, value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : rpc.fail('the node answered with an invalid number');
}

function bytesOf({ rpc }: Deps, value: unknown): Buffer {
  if (typeof value === 'string' && /^(?:[0-9a-f]{2})+$/.test(value)) return Buffer.from(value, 'hex');
  return rpc.fail('the node answered with invalid bytes');
}
