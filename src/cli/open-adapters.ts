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
  return [...(await readSettings(config))].map(([network, node]) => openAdapter(network, node));
}

/** One adapter per node, to ask each by itself; no node is contacted yet. */
export async function openNodes(config: Config): Promise<Map<Network, ChainAdapter[]>> {
  const alone = ([network, { nodes, ...shared }]: [Network, NodeSettings]) =>
    [network, nodes.map((node) => openAdapter(network, { ...shared, nodes: [node] }))] as const;
  return new Map([...(await readSettings(config))].map(alone));
}

/** The settings of each network with a node. */
async function readSettings(config: Config): Promise<Map<Network, NodeSettings>> {
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
  return networks;
}

/** The sandbox's test tokens, unless others are configured. */
function inSandbox({ environment }: Config, network: Network, node: NodeSettings): NodeSettings {
  const contracts = environment === 'sandbox' && node.contracts.size === 0 ? testTokensOf(network) : node.contracts;
  return { ...node, contracts };
}
