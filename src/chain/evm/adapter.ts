// The chain adapter of EVM networks: reads blocks, receipts and the waiting transactions of one JSON-RPC node.

import type { Logger } from 'pino';
import { findAsset, NETWORKS, type Network } from '../../values/assets.ts';
import type { AccountAdapter } from '../adapter.ts';
import type { BlockHead, BlockRef, TxState } from '../blocks.ts';
import { guarded } from '../invalid-response.ts';
import { addressOfPublicKey, createAddressDerivation, parseEvmAddress } from './derive.ts';
import { createBlockReader } from './blocks.ts';
import { createConflictReader } from './conflicts.ts';
import { createMempoolReader } from './mempool.ts';
import { evmNetwork } from './networks.ts';
import { createRpc, type Rpc } from './rpc.ts';
import { createSender } from './send.ts';
import type { WatchedAssets } from './transfers.ts';
import { eip681Uri } from './uri.ts';
import * as rpcTypes from './rpc-types.ts';

export interface EvmAdapterOptions {
  network: Network;
  /** http(s). Its credentials and path are never logged. */
  rpcUrl: string;
  /** The main network's by default. */
  chainId?: number;
  /** Currency code → contract address, null for the coin. */
  contracts: ReadonlyMap<string, string | null>;
  minesOnDemand: boolean;
  /** Of each round trip to the node, as a whole. */
  timeoutMs: number;
  /** The most that our own transactions offer per unit of gas, in wei; above it they wait. By default the network's. */
  maxFeePerGasWei?: bigint;
  /** The most of it that they offer to the block's producer. */
  maxTipPerGasWei?: bigint;
  /**
   * False: the node is not asked for traces, so coins that contracts pay out are found by reconciliation only. For nodes
   * whose `trace_block` takes too long or costs too much; those that lack it are found out by themselves.
   */
  trace?: boolean;
  log?: Logger;
}

/** What the readers below share. */
interface Deps {
  network: Network;
  chainId: number;
  rpc: Rpc;
  assets: WatchedAssets;
  contracts: ReadonlyMap<string, string | null>;
  trace: boolean;
  log: Logger | undefined;
}

/** Creates the adapter; throws when an option is wrong. The node is first asked by `verify`. */
export function createEvmAdapter(options: EvmAdapterOptions): AccountAdapter {
  const { network, rpcUrl, timeoutMs, minesOnDemand, maxFeePerGasWei, maxTipPerGasWei, log } = options;
  const row = evmNetwork(network);
  const chainId = options.chainId ?? row.chainId;
  const contracts = readContracts(network, options.contracts);
  const deps: Deps = {
    network,
    chainId,
    rpc: createRpc({ network, url: rpcUrl, timeoutMs, batchSize: row.batchSize }),
    assets: watchedAssets(network, contracts),
    contracts,
    trace: options.trace ?? true,
    log,
  };

  const sender = createSender({ ...deps, row, maxFeePerGasWei, maxTipPerGasWei, minesOnDemand });
  const conflictAt = createConflictReader({ rpc: deps.rpc, txState: (txHash) => txState(deps, txHash) });

  const readMempool = createMempoolReader(deps);
  const blocks = createBlockReader(deps, {
    assertChain: () => assertChain(deps),
    isCanonical: (ref) => isCanonical(deps, ref),
  });

  return {
    network,
    account: NETWORKS[network].account,
    addresses: 'DERIVED',
    contracts,
    minesOnDemand,
    derive: createAddressDerivation(),
    parseAddress: parseEvmAddress,
    paymentUri: ({ address, currency, amount }) => {
      const contract = contracts.get(currency);
      if (contract === undefined) throw new Error(`${currency} is not taken on ${network}`);
      return eip681Uri({ chainId, contract, address, amount });
    },
    verify: guarded(deps, () => verify(deps)),
    tip: guarded(deps, () => readTip(deps)),
    headAt: guarded(deps, (height: number) => headAt(deps, height)),
    next: guarded(deps, blocks.next),
    following: guarded(deps, blocks.following),
    isCanonical: guarded(deps, (ref: BlockRef) => isCanonical(deps, ref)),
    mempool: guarded(deps, readMempool),
    txState: guarded(deps, (txHash: string) => txState(deps, txHash)),
    conflictAt: guarded(deps, conflictAt),
    addressOf: addressOfPublicKey,
    model: sender.model,
    curve: sender.curve,
    feePayer: sender.feePayer,
    replaceable: sender.replaceable,
    reserve: sender.reserve,
    buildTransaction: sender.buildTransaction,
    hasExpired: sender.hasExpired,
    balances: guarded(deps, sender.balances),
    nonces: guarded(deps, sender.nonces),
    pendingNonces: guarded(deps, sender.pendingNonces),
    validity: sender.validity,
    fees: guarded(deps, sender.fees),
    quote: guarded(deps, sender.quote),
    broadcast: guarded(deps, sender.broadcast),
    receipt: guarded(deps, sender.receipt),
    finalizedHeight: guarded(deps, sender.finalizedHeight),
  };
}

/** The right chain, and behind every configured contract a token with the decimals that amounts are counted in. */
async function verify(deps: Deps): Promise<void> {
  const { network, rpc, contracts } = deps;
  await assertChain(deps);
  const tokens = [...contracts].filter((entry): entry is [string, string] => entry[1] !== null);
  for (const [currency, contract] of tokens) {
    const expected = findAsset(currency, network)?.decimals;
    // decimals() of ERC-20: one word.
    const answer = await rpc.call('eth_call', [{ to: contract, data: '0x313ce567' }, 'latest']);
    if (typeof answer !== 'string' || !/^0x[0-9a-f]{64}$/i.test(answer))
      rpc.fail(`there is no token at ${contract} (${currency})`);
    const decimals = BigInt(answer as string);
    if (decimals !== BigInt(expected ?? -1)) {
      rpc.fail(`the token at ${contract} has ${String(decimals)} decimals, ${currency} has ${String(expected)}`);
    }
  }
}

async function assertChain({ rpc, chainId }: Deps): Promise<void> {
  const actual = rpcTypes.integerOf(await rpc.call('eth_chainId', []), 'chain id');
  if (actual !== chainId) rpc.fail(`the node is on chain ${String(actual)}, expected ${String(chainId)}`);
}

async function readTip({ rpc }: Deps): Promise<BlockHead> {
  const tip = rpcTypes.readHead(await rpc.call('eth_getBlockByNumber', ['latest', false]));
  return tip ?? rpc.fail('the node has no blocks yet');
}

async function headAt({ rpc }: Deps, height: number): Promise<BlockHead | null> {
  const head = rpcTypes.readHead(await rpc.call('eth_getBlockByNumber', [hex(height), false]));
  if (head && head.height !== height)
    rpc.fail(`the node answered with block ${String(head.height)} for ${String(height)}`);
  return head;
}

async function isCanonical(deps: Deps, ref: BlockRef): Promise<boolean> {
  return (await headAt(deps, ref.height))?.hash === ref.hash;
}

async function txState({ rpc }: Deps, txHash: string): Promise<TxState> {
  const [transactionAnswer, receiptAnswer] = await rpc.batch([
    { method: 'eth_getTransactionByHash', params: [txHash] },
    { method: 'eth_getTransactionReceipt', params: [txHash] },
  ]);
  const receipt = rpcTypes.readReceipt(receiptAnswer);
  if (receipt) {
    const { blockHash, height, succeeded } = receipt;
    return { kind: 'mined', block: { hash: blockHash, height }, succeeded };
  }
  if (transactionAnswer === null) return { kind: 'unknown' };
  const isWaiting = rpcTypes.readTransaction(transactionAnswer).blockHash === null;
  return isWaiting ? { kind: 'mempool' } : rpc.fail(`${txHash} is in a block, but the node has no receipt of it`);
}

function readContracts(
  network: Network,
  given: ReadonlyMap<string, string | null>,
): ReadonlyMap<string, string | null> {
  const contracts = new Map<string, string | null>();
  for (const [currency, text] of given) {
    const asset = findAsset(currency, network);
    if (!asset) throw new Error(`There is no ${currency} on ${network}`);
    if (asset.isCoin !== (text === null))
      throw new Error(`${currency} on ${network}: a token has a contract, the coin none`);
    const contract = text === null ? null : parseEvmAddress(text);
    if (text !== null && !contract) throw new Error(`The contract of ${currency} on ${network} is no address: ${text}`);
    contracts.set(asset.currency, contract?.address ?? null);
  }
  return contracts;
}

function watchedAssets(network: Network, contracts: ReadonlyMap<string, string | null>): WatchedAssets {
  const tokens = new Map<string, string>();
  let coin: string | null = null;
  for (const [currency, contract] of contracts) {
    if (contract === null) coin = currency;
    else if (tokens.has(contract.toLowerCase()))
      throw new Error(`Two currencies share the contract ${contract} on ${network}`);
    else tokens.set(contract.toLowerCase(), currency);
  }
  return { coin, tokens };
}

function hex(height: number): string {
  return `0x${height.toString(16)}`;
}
