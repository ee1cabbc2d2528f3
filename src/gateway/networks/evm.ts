// Opens EVM networks: a development chain that can be simulated on in the sandbox, started here or external; otherwise
// a node.

import { writeFile } from 'node:fs/promises';
import { openAdapter } from '../../chain/open-adapter.ts';
import type { NetworkConfig } from '../../config/config.ts';
import { withAdvisoryLock } from '../../database/advisory-lock.ts';
import type { Network } from '../../values/assets.ts';
import type { OpenerParts, Opener } from './opener.ts';
import type { OpenedNetwork } from './connect-network.ts';

export const openEvm: Opener = async (parts, network, node) => {
  if (node === null) return openTestChain(parts, network, null);
  if (parts.config.environment === 'sandbox') {
    const { NotADevChain } = await import('../../sandbox/evm/host.ts');
    try {
      return await openTestChain(parts, network, node);
    } catch (error) {
      if (!(error instanceof NotADevChain)) throw error;
    }
  }
  return { adapter: openAdapter(network, node, { log: parts.deps.log }), testChain: null };
};

async function openTestChain(parts: OpenerParts, network: Network, node: NetworkConfig | null): Promise<OpenedNetwork> {
  const { config, options, deps, stops } = parts;
  const [{ createDevChain }, { chainUrlFile }] = await Promise.all([
    import('../../sandbox/evm/dev-chain.ts'),
    import('../../sandbox/paths.ts'),
  ]);
  if (node === null) options.onProgress?.(`Starting the development chain of ${network}`);
  const { dataDir, anvilPath } = config;
  const rpcUrl = node?.nodes[0]?.url;
  const exclusive = <T>(run: () => Promise<T>) => withAdvisoryLock(deps.db.pool, `development chain ${network}`, run);
  const testChain = await createDevChain({ dataDir, network, log: deps.log, anvilPath, rpcUrl, exclusive });
  stops.push(() => testChain.stop());
  const settings = {
    nodes: [{ url: testChain.rpcUrl }],
    chainId: node?.chainId ?? testChain.chainId,
    // Configured contracts too: other tokens deployed on an external development chain.
    contracts: new Map([...testChain.contracts, ...(node?.contracts ?? [])]),
    trace: node?.trace ?? true,
  };
  const adapter = openAdapter(network, settings, { minesOnDemand: true, log: deps.log });
  // For tools that use a running gateway's chain, such as `npm run ledger:verify`.
  if (node === null) await writeFile(chainUrlFile(dataDir, network), `${testChain.rpcUrl}\n`, { mode: 0o600 });
  return { adapter, testChain };
}
