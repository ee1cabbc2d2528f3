// Opens adapters for parsing and deriving addresses only, so that no node needs to be configured.

import type { Network } from '../values/assets.ts';
import type { ChainAdapter } from './adapter.ts';
import { openAdapter } from './open-adapter.ts';
import type { NodeSettings } from './settings.ts';

/** The configured networks. */
export interface NetworkSettings {
  readonly environment: 'sandbox' | 'live';
  readonly networks: ReadonlyMap<Network, NodeSettings>;
  /** Networks for which the sandbox runs its own chain. */
  readonly sandboxNetworks: readonly Network[];
}

/** A placeholder that is never connected to. */
const NO_NODE = {
  nodes: [{ url: 'http://127.0.0.1' }],
  contracts: new Map<string, string>(),
  chainId: null,
  trace: false,
};

/**
 * The adapter of a network, for methods that ask no node. Without a configured node, the environment implies the chain.
 */
export function openAddressReader(settings: NetworkSettings, network: Network): ChainAdapter {
  const { environment, networks, sandboxNetworks } = settings;
  const testChain = sandboxNetworks.includes(network) ? 'regtest' : 'test';
  const chainName = environment === 'live' ? 'main' : testChain;
  return openAdapter(network, networks.get(network) ?? { ...NO_NODE, chainName });
}
