// The nodes of the configuration for a tool that only asks; in the sandbox, the chains of the gateway on the data folder.

import { readFile } from 'node:fs/promises';
import type { ChainAdapter } from '../chain/adapter.ts';
import { hasAdapter, openAdapter } from '../chain/open-adapter.ts';
import type { NodeSettings } from '../chain/settings.ts';
import type { Config } from '../config/config.ts';
import { chainUrlFile } from '../sandbox/paths.ts';
import { testTokensOf } from '../sandbox/evm/test-tokens.ts';
import type { Network } from '../values/assets.ts';

/** One adapter for each network that there is a node for; none of the nodes is asked anything yet. */
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

/** Where no tokens are named, the sandbox's chains have its test tokens. */
function inSandbox({ environment }: Config, network: Network, node: NodeSettings): NodeSettings {
  const contracts = environment === 'sandbox' && node.contracts.size === 0 ? testTokensOf(network) : node.contracts;
  return { ...node, contracts };
}
