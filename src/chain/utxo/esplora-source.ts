// Reads UTXO chains from an Esplora server's REST API, for operators without their own node. No address is ever sent to
// it: it is asked only for blocks and transactions.

import type { Network } from '../../values/assets.ts';
import type { BlockHead, BlockRef, TxState } from '../blocks.ts';
import { TransactionRefused } from '../errors.ts';
import { createHttp, type Http, type HttpOptions } from './http.ts';
import {
  readOutpoint,
  rejectionIn,
  isAlreadyKnown,
  type ChainOutput,
  type Source,
  type BlockStatus,
} from './source.ts';
import { parseTransaction } from './transaction.ts';

/** Requests sent in parallel. */
const PARALLEL = 8;
/** Fees are estimated for confirmation within this many blocks. */
const TARGET_BLOCKS = '3';
const HASH = /^[0-9a-f]{64}$/;

interface Deps {
  readonly network: Network;
  readonly http: Http;
  readonly hasExtensionBlocks: boolean;
}

export function createEsploraSource(options: HttpOptions & { readonly hasExtensionBlocks: boolean }): Source {
  const { network, hasExtensionBlocks } = options;
  const deps: Deps = { network, hasExtensionBlocks, http: createHttp(options) };
  return {
    verify: () => Promise.resolve(),
    // It does not report its node's sync progress.
    isLoading: () => Promise.resolve(false),
    tip: () => readTip(deps),
    hashAt: async (height) => {
      const answer = await text(deps, `/block-height/${String(height)}`);
      return answer === null ? null : hashOf(deps, answer);
    },
    blockStatus: (hash) => blockStatus(deps, hash),
    block: async (hash) => (await bytes(deps, `/block/${hash}/raw`)) ?? deps.http.fail(`there is no block ${hash}`),
    mempool: () => readMempool(deps),
    transactions: async (txHashes) => {
      const found = await inParallel(txHashes, (hash) => bytes(deps, `/tx/${hash}/raw`));
      return new Map(txHashes.flatMap((hash, at) => (found[at] ? [[hash, found[at]] as const] : [])));
    },
    txState: (txHash) => readState(deps, txHash),
    unspent: (outpoints, at) => readUnspent(deps, outpoints, at),
    feeRates: async () => {
      const rates = fields(deps, await json(deps, '/fee-estimates'));
      const rate = rates[TARGET_BLOCKS];
      // A rate, not an amount: rounded up to whole base units per byte.
      return { estimate: typeof rate === 'number' && rate > 0 ? BigInt(Math.ceil(rate)) : null, least: null };
    },
    broadcast: (raw) => broadcast(deps, raw),
  };
}

async function readMempool(deps: Deps): Promise<string[]> {
  const answer = await json(deps, '/mempool/txids');
  return Array.isArray(answer) ? answer.map((one) => hashOf(deps, one)) : deps.http.fail('there is no mempool');
}

async function readTip(deps: Deps): Promise<BlockHead> {
  const hash = hashOf(deps, await text(deps, '/blocks/tip/hash'));
  return (await blockStatus(deps, hash))?.head ?? deps.http.fail('the server does not know its own tip');
}

async function blockStatus(deps: Deps, hash: string): Promise<BlockStatus | null> {
  const [block, status, tip] = await Promise.all([
    json(deps, `/block/${hash}`),
    json(deps, `/block/${hash}/status`),
    text(deps, '/blocks/tip/height'),
  ]);
  if (block === null || status === null) return null;
  const { height, timestamp, previousblockhash } = fields(deps, block);
  const { in_best_chain: isCanonical, next_best: next } = fields(deps, status);
  const head: BlockHead = {
    hash,
    height: integerOf(deps, height),
    parentHash: previousblockhash == null ? '0'.repeat(64) : hashOf(deps, previousblockhash),
    time: new Date(integerOf(deps, timestamp) * 1_000),
  };
  return {
    ...{ head, isCanonical: isCanonical === true },
    nextHash: isCanonical === true && next != null ? hashOf(deps, next) : null,
    tipHeight: Math.max(head.height, integerOf(deps, Number(tip))),
  };
}

async function readState(deps: Deps, txHash: string): Promise<TxState> {
  const answer = await json(deps, `/tx/${txHash}/status`);
  if (answer === null) return { kind: 'unknown' };
  const { confirmed, block_hash: block } = fields(deps, answer);
  // The status of an unknown transaction, or one whose block left the chain, is the same as that of a waiting one.
  if (confirmed !== true) return { kind: (await readMempool(deps)).includes(txHash) ? 'mempool' : 'unknown' };
  const status = await blockStatus(deps, hashOf(deps, block));
  if (!status?.isCanonical) return { kind: 'unknown' };
  const { hash, height } = status.head;
  return { kind: 'mined', block: { hash, height }, succeeded: true };
}

/** Amounts are read from the transactions' bytes; only whether an output is spent comes from the server. */
async function readUnspent(
  deps: Deps,
  outpoints: readonly string[],
  at: BlockRef | undefined,
): Promise<Map<string, ChainOutput> | null> {
  const before = await readTip(deps);
  if (at && before.hash !== at.hash) return null;
  const outputs = await inParallel(outpoints, (outpoint) => readOutput(deps, outpoint, before.height));
  const after = await text(deps, '/blocks/tip/hash');
  if (at && after !== at.hash) return null;
  return new Map(outpoints.flatMap((outpoint, at) => (outputs[at] ? [[outpoint, outputs[at]] as const] : [])));
}

async function readOutput(deps: Deps, outpoint: string, tipHeight: number): Promise<ChainOutput | null> {
  const { txHash, index } = readOutpoint(outpoint);
  const state = await readState(deps, txHash);
  if (state.kind !== 'mined') return null;
  const [raw, spending] = await Promise.all([
    bytes(deps, `/tx/${txHash}/raw`),
    json(deps, `/tx/${txHash}/outspend/${String(index)}`),
  ]);
  if (raw === null || spending === null) return null;
  const { spent, status } = fields(deps, spending);
  if (spent === true && fields(deps, status ?? {}).confirmed === true) return null;
  const { outputs, isCoinbase } = parseTransaction(raw, deps);
  const output = outputs[index];
  if (!output) return null;
  return { amount: output.amount, confirmations: tipHeight - state.block.height + 1, isCoinbase };
}

async function broadcast({ network, http }: Deps, raw: string): Promise<'sent' | 'known'> {
  const { status, body } = await http.post('/tx', raw, 'text/plain');
  if (status === 200) return 'sent';
  const message = body.toString('utf8').slice(0, 500);
  if (isAlreadyKnown(message)) return 'known';
  const reason = rejectionIn(message);
  if (reason !== null) throw new TransactionRefused(network, reason, { cause: new Error(message) });
  return http.fail(`the server does not take the transaction (HTTP status ${String(status)})`);
}

/** Null if the server does not have it. */
async function bytes({ http }: Deps, path: string): Promise<Buffer | null> {
  const { status, body } = await http.get(path);
  if (status === 404) return null;
  return status === 200 ? body : http.fail(`the server answered with HTTP status ${String(status)}`);
}

async function text(deps: Deps, path: string): Promise<string | null> {
  return (await bytes(deps, path))?.toString('utf8').trim() ?? null;
}

async function json(deps: Deps, path: string): Promise<unknown> {
  const answer = await text(deps, path);
  if (answer === null) return null;
  try {
    return JSON.parse(answer) as unknown;
  } catch {
    return deps.http.fail('the server answered with no JSON');
  }
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += PARALLEL)
    results.push(...(await Promise.all(items.slice(start, start + PARALLEL).map(work))));
  return results;
}

function fields({ http }: Deps, answer: unknown): Record<string, unknown> {
  if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as Record<string, unknown>;
  return http.fail('the server’s answer is malformed');
}

function hashOf({ http }: Deps, value: unknown): string {
  return typeof value === 'string' && HASH.test(value) ? value : http.fail('the server answered with an invalid hash');
}

function integerOf({ http }: Deps, value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : http.fail('the server answered with an invalid number');
}
