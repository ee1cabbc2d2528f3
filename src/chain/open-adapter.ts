// The kinds of networks as a table: how each makes its adapter. Who needs a network asks here, and names none.

import type { Logger } from 'pino';
import { NETWORKS, type Network, type NetworkKind } from '../values/assets.ts';
import type { ChainAdapter } from './adapter.ts';
import { EVM_NETWORKS } from './evm/networks.ts';
import { openEvmAdapter } from './evm/open.ts';
import { createNodePool } from './pool/node-pool.ts';
import { openSolanaAdapter } from './solana/open.ts';
import { openTronAdapter } from './tron/open.ts';
import { openUtxoAdapter, utxoAccountPath } from './utxo/open.ts';

/** One node of a network, with what is told to it and to no other. */
export interface NodeEndpoint {
  readonly url: string;
  /** A file with the node's credentials. */
  readonly cookiePath?: string | null;
  /** What a host wants to know its customers by, where that is no part of the URL. */
  readonly apiKey?: string | null;
  /** Where the node tells what is final, for kinds that have that elsewhere. */
  readonly finalUrl?: string | null;
}

/** What configuration says of a network's nodes. */
export interface NodeSettings {
  /** At least one. */
  readonly nodes: readonly NodeEndpoint[];
  /** Token contracts by currency; the coin is not among them. */
  readonly contracts: ReadonlyMap<string, string>;
  /** What identifies the chain, where it is not the main network; for kinds that number their chains. */
  readonly chainId: number | null;
  readonly trace: boolean;
  /** The name of the chain, `main` where it is not said, for kinds that name their chains. */
  readonly chainName?: string | null;
  /** Whether addresses are taproot's (BIP-86). */
  readonly taproot?: boolean;
  /** The most that a byte of our own transactions may cost, in base units. */
  readonly maxFeeRate?: bigint | null;
  /** The most that our own transactions may offer for gas, and of it to the block's producer. Null: the network's. */
  readonly maxGasPriceWei?: bigint | null;
  readonly maxTipWei?: bigint | null;
  /** What identifies the chain by its first block, for kinds that do. Null: the main network. */
  readonly genesisHash?: string | null;
}

/** How the adapter is to behave, whatever its kind. */
export interface AdapterSettings {
  /** A development chain. */
  readonly minesOnDemand?: boolean;
  readonly log?: Logger;
}

/** Makes the adapter of a network from its settings; asks no node. Throws where a setting is wrong. */
type OpenNetwork = (network: Network, node: NodeSettings, settings?: AdapterSettings) => ChainAdapter;

/** The same of one node, which is all that a kind knows. */
export type OpenAdapter = (
  network: Network,
  node: Omit<NodeSettings, 'nodes'> & NodeEndpoint,
  settings?: AdapterSettings,
) => ChainAdapter;

/** A kind of network is a row. */
const ADAPTERS: Partial<Record<NetworkKind, OpenAdapter>> = {
  evm: openEvmAdapter,
  tron: openTronAdapter,
  utxo: openUtxoAdapter,
  solana: openSolanaAdapter,
};

/** Whether there is an adapter for the kind of a network. */
export function hasAdapter(network: Network): boolean {
  return NETWORKS[network].kind in ADAPTERS;
}

/** Makes the adapter of a network: of its one node, or of all of them together. */
export const openAdapter: OpenNetwork = (network, { nodes, ...shared }, settings) => {
  const open = ADAPTERS[NETWORKS[network].kind];
  if (!open) throw new Error(`There is no adapter for ${network}`);
  const [first, ...others] = nodes.map((node) => open(network, { ...shared, ...node }, settings));
  if (!first) throw new Error(`${network} has no node`);
  return others.length === 0 ? first : createNodePool({ adapters: [first, ...others], log: settings?.log });
};

/** Whether the nodes are to be on the main chain of their network, and on no test network. */
export function isMainChain(
  network: Network,
  { chainId, chainName, genesisHash }: Omit<NodeSettings, 'nodes'>,
): boolean {
  const isMainId = chainId === null || chainId === EVM_NETWORKS[network]?.chainId;
  return isMainId && (chainName ?? 'main') === 'main' && genesisHash == null;
}

/**
 * Where the keys of a network's account are, for kinds in which that follows from the chain; null: BIP-44 by coin type.
 */
export function accountPathOf(network: Network, node: Omit<NodeSettings, 'nodes'>): string | null {
  return NETWORKS[network].kind === 'utxo' ? utxoAccountPath(network, node) : null;
}
