// Opens the adapter of any network: one table maps each kind of network to its implementation.

import { NETWORKS, type Network, type NetworkKind } from '../values/assets.ts';
import type { ChainAdapter } from './adapter.ts';
import { EVM_NETWORKS } from './evm/networks.ts';
import { openEvmAdapter } from './evm/open.ts';
import { createNodePool } from './pool/node-pool.ts';
import type { AdapterSettings, NodeSettings, OpenAdapter, SharedSettings } from './settings.ts';
import { openSolanaAdapter } from './solana/open.ts';
import { openTronAdapter } from './tron/open.ts';
import { openUtxoAdapter, utxoAccountPath } from './utxo/open.ts';

/** To support another kind of network, add a row. */
const ADAPTERS: Partial<Record<NetworkKind, OpenAdapter>> = {
  evm: openEvmAdapter,
  tron: openTronAdapter,
  utxo: openUtxoAdapter,
  solana: openSolanaAdapter,
};

/** Whether there is an adapter for the network's kind. */
export function hasAdapter(network: Network): boolean {
  return NETWORKS[network].kind in ADAPTERS;
}

/**
 * Opens a network's adapter; several nodes are pooled into one. No node is asked yet. Throws if a setting is invalid.
 */
export function openAdapter(
  network: Network,
  { nodes, ...shared }: NodeSettings,
  settings?: AdapterSettings,
): ChainAdapter {
  const open = ADAPTERS[NETWORKS[network].kind];
  if (!open) throw new Error(`There is no adapter for ${network}`);
  const [first, ...others] = nodes.map((node) => open(network, { ...shared, ...node }, settings));
  if (!first) throw new Error(`${network} has no node`);
  return others.length === 0 ? first : createNodePool({ adapters: [first, ...others], log: settings?.log });
}

/** Whether the settings are for the network's main chain rather than a test chain. */
export function isMainChain(network: Network, { chainId, chainName, genesisHash }: SharedSettings): boolean {
  const isMainId = chainId === null || chainId === EVM_NETWORKS[network]?.chainId;
  return isMainId && (chainName ?? 'main') === 'main' && genesisHash == null;
}

/** The derivation path of the network's account, for kinds where the chain decides it. Null: BIP-44 by coin type. */
export function accountPathOf(network: Network, node: SharedSettings): string | null {
  return NETWORKS[network].kind === 'utxo' ? utxoAccountPath(network, node) : null;
}
