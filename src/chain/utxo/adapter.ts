// The `ChainAdapter` of UTXO networks (Bitcoin, Litecoin), over a node's RPC or an Esplora server.

import type { Logger } from 'pino';
import type { Network } from '../../values/assets.ts';
import { NETWORKS } from '../../values/assets.ts';
import type { UtxoAdapter } from '../adapter.ts';
import type { BlockHead, BlockRef, Next, Receipt } from '../blocks.ts';
import { ChainUnavailable } from '../errors.ts';
import type { UnspentOutput } from '../transactions.ts';
import { guarded } from '../invalid-response.ts';
import { addressOfScript, parseUtxoAddress } from './address.ts';
import { createCoreSource } from './core-source.ts';
import { accountPathOf, addressOfKey, createUtxoDerivation, type AddressType } from './derive.ts';
import { createConflictReader } from './conflicts.ts';
import { createEsploraSource } from './esplora-source.ts';
import { createMempoolReader, type MempoolReader } from './mempool.ts';
import { paramsOf, type ChainName, type ChainParams, type UtxoParams } from './params.ts';
import { buildSpend, dustOf, readFees, sizeOf, type SendDeps } from './send.ts';
import { readOutpoint, type ChainOutput, type Source } from './source.ts';
import { parseBlock, parseTransaction, type RawBlock, type RawTransaction } from './transaction.ts';
import { signedOf, spendsOf, transfersOf } from './transfers.ts';
import { bip21Uri } from './uri.ts';

export interface UtxoAdapterOptions {
  network: Network;
  chain: ChainName;
  /** A node's RPC, with `user:password@` or a cookie file, or an Esplora server's API. Never logged. */
  url: string;
  kind: 'CORE' | 'ESPLORA';
  cookiePath?: string;
  addressType?: AddressType;
  minesOnDemand: boolean;
  /** The limit for each round trip. */
  timeoutMs: number;
  /**
   * The limits of the fee rate that our transactions offer, in base units per virtual byte; by default, the network's.
   */
  minFeeRate?: bigint;
  maxFeeRate?: bigint;
  log?: Logger;
}

interface Deps extends SendDeps {
  readonly currency: string;
  readonly log: Logger | undefined;
}

/** Throws if an option is invalid. The node is first asked by `verify`. */
export function createUtxoAdapter(options: UtxoAdapterOptions): UtxoAdapter {
  const { network, minesOnDemand, addressType = 'P2WPKH', log } = options;
  const { params, chain } = paramsOf(network, options.chain);
  const currency = NETWORKS[network].coin;
  const source = openSource(options, params, chain);
  const { minFeeRate = params.minFeeRate, maxFeeRate = params.maxFeeRate } = options;
  const deps: Deps = { network, params, chain, source, addressType, minFeeRate, maxFeeRate, currency, log };
  const parse = (bytes: Buffer, txHash: string) => parseKnown(deps, bytes, txHash);
  const mempool = createMempoolReader({ source, currency, parse });
  const txState = (txHash: string) => source.txState(txHash);
  const conflictAt = createConflictReader({ source, txState, readBlock: (hash) => readBlock(deps, hash) });

  return {
    ...{ network, minesOnDemand, model: 'OUTPUTS', account: NETWORKS[network].account, addresses: 'DERIVED' },
    accountPath: accountPathOf(network, options.chain, addressType),
    contracts: new Map([[currency, null]]),
    derive: createUtxoDerivation(chain, addressType),
    parseAddress: (text) => parseUtxoAddress(chain, text),
    addressFor: (key) => addressOfScript(chain, key)?.address ?? null,
    paymentUri: ({ address, amount }) => bip21Uri({ scheme: params.scheme, address, amount }),
    verify: guarded(deps, () => verify(deps)),
    tip: guarded(deps, () => source.tip()),
    headAt: guarded(deps, (height: number) => headAt(deps, height)),
    next: guarded(deps, (cursor: BlockRef) => next(deps, mempool, cursor)),
    isCanonical: guarded(deps, async (ref: BlockRef) => (await source.hashAt(ref.height)) === ref.hash),
    mempool: guarded(deps, () => mempool.read()),
    rawTransaction: guarded(deps, (txHash: string) => readRaw(deps, txHash)),
    txState: guarded(deps, txState),
    conflictAt: guarded(deps, conflictAt),
    addressOf: (publicKey) => addressOfKey(chain, addressType, publicKey),
    broadcast: guarded(deps, (raw: string) => source.broadcast(raw)),
    receipt: guarded(deps, (txHash: string) => readReceipt(deps, txHash)),
    // Proof of work is never final; confirmations have to do.
    finalizedHeight: () => Promise.resolve(null),
    unspent: guarded(deps, (outpoints: readonly string[], at?: BlockRef) => readUnspent(deps, outpoints, at)),
    fees: guarded(deps, (above?: Parameters<UtxoAdapter['fees']>[0]) => readFees(deps, above)),
    dustOf: (address) => dustOf(deps, address),
    sizeOf: (inputs, recipients) => sizeOf(deps, inputs, recipients),
    buildSpend: (inputs, outputs) => buildSpend(deps, inputs, outputs),
    outputsOf: (raw) =>
      parseTransaction(Buffer.from(raw, 'hex'), params).outputs.map(({ amount, script: addressKey }, ordinal) => ({
        ...{ ordinal, addressKey, amount },
      })),
    spendsOf: (raw) => spendsOf(parseTransaction(Buffer.from(raw, 'hex'), params).inputs),
  };
}

function openSource(options: UtxoAdapterOptions, params: UtxoParams, chain: ChainParams): Source {
  const { network, url, timeoutMs, cookiePath } = options;
  const { hasExtensionBlocks } = params;
  if (options.kind === 'ESPLORA') return createEsploraSource({ network, url, timeoutMs, hasExtensionBlocks });
  return createCoreSource({ network, url, timeoutMs, cookiePath, isOwnChain: chain.isOwn });
}

function fail({ network }: Deps, message: string): never {
  throw new ChainUnavailable(network, message);
}

async function verify(deps: Deps): Promise<void> {
  await assertChain(deps);
  if (await deps.source.isLoading()) fail(deps, 'the node is still loading the chain');
  await deps.source.verify();
}

async function assertChain(deps: Deps): Promise<void> {
  const genesis = await deps.source.hashAt(0);
  if (genesis !== deps.chain.genesis)
    fail(deps, `the node is on the chain of ${String(genesis)}, expected ${deps.chain.genesis}`);
}

async function headAt(deps: Deps, height: number): Promise<BlockHead | null> {
  const hash = await deps.source.hashAt(height);
  const status = hash === null ? null : await deps.source.blockStatus(hash);
  if (status && status.head.height !== height) fail(deps, 'the node answered with a block of another height');
  return status?.head ?? null;
}

async function next(deps: Deps, mempool: MempoolReader, cursor: BlockRef): Promise<Next> {
  const status = await deps.source.blockStatus(cursor.hash);
  if (!status?.isCanonical) return reorganised(deps);
  const { nextHash, head, tipHeight } = status;
  if (nextHash === null) {
    mempool.changed(head);
    return { kind: 'tip', tip: head };
  }
  const block = await readBlock(deps, nextHash);
  if (block.parentHash !== cursor.hash) fail(deps, `block ${nextHash} is not on top of the block before it`);
  const { hash, parentHash, time, transactions } = block;
  const transfers = transactions.flatMap((transaction) => transfersOf(transaction, deps.currency));
  const signed = transactions.map(signedOf).filter((one) => one !== null);
  mempool.changed({ hash, height: cursor.height + 1 });
  return {
    kind: 'block',
    block: { hash, parentHash, time, height: cursor.height + 1, transfers, signed },
    tipHeight: Math.max(tipHeight, cursor.height + 1),
  };
}

/** A node that is on another chain, or still syncing, counts as unavailable instead of reporting a reorganisation. */
async function reorganised(deps: Deps): Promise<Next> {
  await assertChain(deps);
  if (await deps.source.isLoading()) fail(deps, 'the node is still loading the chain');
  return { kind: 'reorganised' };
}

async function readBlock(deps: Deps, hash: string): Promise<RawBlock> {
  const block = parseBlock(await deps.source.block(hash), deps.params);
  if (block.hash !== hash) fail(deps, `the node answered with block ${block.hash} for ${hash}`);
  return block;
}

/** Parses a transaction and checks that it has the id that was asked for. */
function parseKnown(deps: Deps, bytes: Buffer, txHash: string): RawTransaction {
  const transaction = parseTransaction(bytes, deps.params);
  // Transactions inside Litecoin's extension block have another kind of id, and no inputs or outputs here.
  const isInside = transaction.inputs.length === 0 && transaction.outputs.length === 0;
  if (transaction.hash !== txHash && !isInside)
    fail(deps, `the node answered with transaction ${transaction.hash} for ${txHash}`);
  return transaction;
}

async function readTransactions(deps: Deps, txHashes: readonly string[]): Promise<Map<string, RawTransaction>> {
  const wanted = [...new Set(txHashes)];
  const found = await deps.source.transactions(wanted);
  const parsed = new Map([...found].map(([hash, bytes]) => [hash, parseKnown(deps, bytes, hash)]));
  const missing = wanted.find((hash) => !parsed.has(hash));
  if (missing !== undefined) fail(deps, `the node does not have transaction ${missing}`);
  return parsed;
}

async function readRaw(deps: Deps, txHash: string): Promise<string | null> {
  const bytes = (await deps.source.transactions([txHash])).get(txHash);
  return bytes && parseKnown(deps, bytes, txHash).hash === txHash ? bytes.toString('hex') : null;
}

/** The fee is the value of the spent outputs, read from their transactions' bytes, minus the value of the new ones. */
async function readReceipt(deps: Deps, txHash: string): Promise<Receipt | null> {
  const state = await deps.source.txState(txHash);
  if (state.kind !== 'mined') return null;
  const transaction = (await readTransactions(deps, [txHash])).get(txHash);
  if (!transaction) return null;
  const { inputs, outputs, isCoinbase } = transaction;
  const parents = isCoinbase
    ? new Map<string, RawTransaction>()
    : await readTransactions(
        deps,
        inputs.map((input) => input.txHash),
      );
  const spent = isCoinbase
    ? 0n
    : sum(inputs.map((input) => parents.get(input.txHash)?.outputs[input.index]?.amount ?? 0n));
  const cost = isCoinbase ? 0n : spent - sum(outputs.map(({ amount }) => amount));
  return { block: state.block, succeeded: true, cost, paid: [] };
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

async function readUnspent(
  deps: Deps,
  outpoints: readonly string[],
  at: BlockRef | undefined,
): Promise<Map<string, UnspentOutput> | null> {
  const found = await deps.source.unspent(outpoints, at);
  if (!found) return null;
  const young = [...found].filter(([, output]) => output.confirmations < deps.params.pegOutMaturity);
  const parents = at
    ? new Map<string, RawTransaction>()
    : await readTransactions(
        deps,
        young.map(([outpoint]) => readOutpoint(outpoint).txHash),
      );
  const isPegOut = (outpoint: string) => parents.get(readOutpoint(outpoint).txHash)?.isPegOut === true;
  return new Map([...found].map(([outpoint, output]) => [outpoint, toUnspent(deps, output, isPegOut(outpoint))]));
}

function toUnspent(
  { params }: Deps,
  { amount, confirmations, isCoinbase }: ChainOutput,
  isPegOut: boolean,
): UnspentOutput {
  const needed = isCoinbase ? params.coinbaseMaturity : isPegOut ? params.pegOutMaturity : 0;
  return { amount, confirmations, isMature: confirmations >= needed };
}
