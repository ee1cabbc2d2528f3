// Opens adapters for tools that only read: for configured nodes, or for the running sandbox's chains on the data
// folder.

import { readFile } from 'node:fs/promises';
import type { ChainAdapter } from '../chain/adapter.ts';
import { hasAdapter, openAdapter } from '../chain/open-adapter.ts';
import type { NodeSettings } from '../chain/settings.ts';
import type { Config } from '../config/config.ts';
import { chainUrlFile } from '../sandbox/paths.ts';
import { testTokensOf } from '../sandbox/evm/test-tokens.ts';
import type { Network } from '../values/assets.ts';

/** One adapter per network with a node; no node is contacted yet. */
export async function openAdapters(config: Config): Promise<ChainAdapter[]> {
  const networks = new Map<Network, NodeSettings>();
  for (const [network, node] of config.networks)
    if (hasAdapter(network)) networks.set(network, inSandbox(config, network, node));
  for (const network of config.sandboxNetworks) {
    const rpcUrl = await readFile(chainUrlFile(config.dataDir, network), 'utf8').catch(() => null);
    if (rpcUrl === null) continue;
    const node = {
      nodes: [{ url: rpcUrl.trim() }],
      contracts: new Map<string, string>(),
      chainId: null,
      trace: false,
      chainName: 'regtest',
    };
    networks.set(network, inSandbox(config, network, node));
  }
  return [...networks].map(([network, node]) => openAdapter(network, node));
}

/** The sandbox's test tokens, unless others are configured. */
function inSandbox({ environment }: Config, network: Network, node: NodeSettings): NodeSettings {
  const contracts = environment === 'sandbox' && node.contracts.size === 0 ? testTokensOf(network) : node.contracts;
  return { ...node, contracts };
}
