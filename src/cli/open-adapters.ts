// The nodes of the configuration for a tool that only asks; in the sandbox, the chain of the gateway on the data folder.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainAdapter } from '../chain/adapter.ts';
import { createEvmAdapter } from '../chain/evm/adapter.ts';
import type { Config, NetworkConfig } from '../config.ts';
import { NETWORKS, type Network } from '../values/assets.ts';

/** One adapter for each network that there is a node for; none of the nodes is asked anything yet. */
export async function openAdapters(config: Config): Promise<ChainAdapter[]> {
  const networks = new Map(config.networks);
  if (config.environment === 'sandbox' && !networks.has('ETH')) {
    const rpcUrl = await readFile(join(config.dataDir, 'chain-url'), 'utf8').catch(() => null);
    if (rpcUrl !== null)
      networks.set('ETH', { rpcUrl: rpcUrl.trim(), contracts: new Map(), xpub: null, chainId: null, trace: false });
  }
  const evm = [...networks].filter(([network]) => NETWORKS[network].kind === 'evm');
  return Promise.all(evm.map(([network, node]) => openAdapter(config, network, node)));
}

async function openAdapter(config: Config, network: Network, node: NetworkConfig): Promise<ChainAdapter> {
  const isSandbox = config.environment === 'sandbox' && network === 'ETH' && node.contracts.size === 0;
  const contracts = isSandbox ? (await import('../sandbox/test-tokens.ts')).TEST_TOKENS : node.contracts;
  return createEvmAdapter({
    network,
    rpcUrl: node.rpcUrl,
    ...(node.chainId === null ? {} : { chainId: node.chainId }),
    contracts: new Map<string, string | null>([[NETWORKS[network].coin, null], ...contracts]),
    minesOnDemand: false,
    timeoutMs: 15_000,
  });
}
