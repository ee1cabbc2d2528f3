// Reads addresses of a network where no node is needed, and perhaps none is configured.

import type { Network } from '../values/assets.ts';
import type { ChainAdapter } from './adapter.ts';
import { openAdapter, type NodeSettings } from './open-adapter.ts';

/** What configuration says of networks. */
export interface NetworkSettings {
  readonly environment: 'sandbox' | 'live';
  readonly networks: ReadonlyMap<Network, NodeSettings>;
  /** Those that the sandbox runs a chain of its own for. */
  readonly sandboxNetworks: readonly Network[];
}

/** Nobody is asked there. */
const NO_NODE = {
  nodes: [{ url: 'http://127.0.0.1' }],
  contracts: new Map<string, string>(),
  chainId: null,
  trace: false,
};

/** The adapter of a network, for what it knows by itself. Without a configured node, of the chain that would be meant. */
export function openAddressReader(settings: NetworkSettings, network: Network): ChainAdapter {
  const { environment, networks, sandboxNetworks } = settings;
  const elsewhere = sandboxNetworks.includes(network) ? 'regtest' : 'test';
  const chainName = environment === 'live' ? 'main' : elsewhere;
  return openAdapter(network, networks.get(network) ?? { ...NO_NODE, chainName });
}
