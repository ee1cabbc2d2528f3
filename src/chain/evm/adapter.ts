// The `ChainAdapter` of EVM networks, over one JSON-RPC node.

import type { Logger } from 'pino';
import { findAsset, NETWORKS, type Network } from '../../values/assets.ts';
import type { AccountAdapter } from '../adapter.ts';
import type { BlockHead, BlockRef, TxState } from '../blocks.ts';
import { guarded } from '../invalid-response.ts';
import { addressOfPublicKey, createAddressDerivation, parseEvmAddress } from './address.ts';
import { createBlockReader } from './blocks.ts';
import { createConflictReader } from './conflicts.ts';
import { createMempoolReader } from './mempool.ts';
import { evmNetwork } from './networks.ts';
import { createRpc, type Rpc } from './rpc.ts';
import { createSender } from './send.ts';
import { eip681Uri } from './uri.ts';
import { readContracts, watchedAssets, type WatchedAssets } from './watched-assets.ts';
import * as rpcTypes from './rpc-types.ts';

export interface EvmAdapterOptions {
  network: Network;
  /** http(s). Never logged, because it may contain a key. */
  rpcUrl: string;
  /** By default, the main network's. */
  chainId?: number;
  /** Currency code → contract address, null for the coin. */
  contracts: ReadonlyMap<string, string | null>;
  minesOnDemand: boolean;
  /** The limit for each round trip to the node. */
  timeoutMs: number;
  /** The most that our transactions offer per unit of gas, in wei; above it they wait. By default, the network's. */
  maxFeePerGasWei?: bigint;
  /** The most of it that goes to the block producer. */
  maxTipPerGasWei?: bigint;
  /**
   * False turns off `trace_block`, so coins paid out by contracts are found only by reconciliation. For nodes where it
   * is too slow or too expensive; nodes that lack it are detected automatically.
   */
  trace?: boolean;
  log?: Logger;
}

/** Shared by the functions below. */
interface Deps {
  network: Network;
  chainId: number;
  rpc: Rpc;
  assets: WatchedAssets;
  contracts: ReadonlyMap<string, string | null>;
  trace: boolean;
  log: Logger | undefined;
}

/** Throws if an option is invalid. The node is first asked by `verify`. */
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
  const { model, curve, feePayer, replaceable, reserve, validity, balancesAtOnce, buildTransaction, hasExpired } =
    sender;
  const conflictAt = createConflictReader({ rpc: deps.rpc, txState: (txHash) => txState(deps, txHash) });
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
    addressFor: (key) => parseEvmAddress(key)?.address ?? null,
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
    mempool: guarded(deps, createMempoolReader(deps)),
    txState: guarded(deps, (txHash: string) => txState(deps, txHash)),
    conflictAt: guarded(deps, conflictAt),
    addressOf: addressOfPublicKey,
    ...{ model, curve, feePayer, replaceable, reserve, validity, balancesAtOnce, buildTransaction, hasExpired },
    balances: guarded(deps, sender.balances),
    nonces: guarded(deps, sender.nonces),
    pendingNonces: guarded(deps, sender.pendingNonces),
    fees: guarded(deps, sender.fees),
    quote: guarded(deps, sender.quote),
    broadcast: guarded(deps, sender.broadcast),
    receipt: guarded(deps, sender.receipt),
    finalizedHeight: guarded(deps, sender.finalizedHeight),
  };
}

/** Checks the chain id, and that every configured contract is a token with the expected decimals. */
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

function hex(height: number): string {
  return `0x${height.toString(16)}`;
}
