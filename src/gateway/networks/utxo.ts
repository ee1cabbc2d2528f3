// Opens UTXO networks: a configured node or, in the sandbox, a Litecoin regtest chain if litecoind is installed.

import { readFile, writeFile } from 'node:fs/promises';
import { openAdapter } from '../../chain/open-adapter.ts';
import type { Opener } from './opener.ts';
import { StartError } from '../lifecycle.ts';

export const openUtxo: Opener = async (parts, network, node) => {
  const { config, options, deps, stops } = parts;
  if (node !== null) return { adapter: openAdapter(network, node, { log: deps.log }), testChain: null };
  if (network !== 'LTC') throw new StartError(`SANDBOX_NETWORKS: the sandbox has no chain for ${network}`);
  const [{ createLitecoinChain }, { chainFolder, chainUrlFile }, { LitecoindMissing }] = await Promise.all([
    import('../../sandbox/litecoin/chain.ts'),
    import('../../sandbox/paths.ts'),
    import('../../sandbox/litecoin/node.ts'),
  ]);
  options.onProgress?.(`Starting the development chain of ${network}`);
  const { dataDir } = config;
  const testChain = await createLitecoinChain({ dataDir: chainFolder(dataDir, network), log: deps.log }).catch(
    (error: unknown) => {
      throw error instanceof LitecoindMissing ? new StartError(`SANDBOX_NETWORKS: ${error.message}`) : error;
    },
  );
  stops.push(() => testChain.stop());
  const url = new URL(testChain.rpcUrl);
  [url.username = '', url.password = ''] = (await readFile(testChain.cookiePath, 'utf8')).trim().split(':');
  // For tools that use a running gateway's chain, such as `npm run ledger:verify`.
  await writeFile(chainUrlFile(dataDir, network), `${url.href}\n`, { mode: 0o600 });
  const settings = { nodes: [{ url: url.href }], contracts: new Map<string, string>(), chainId: null, trace: false };
  const adapter = openAdapter(network, { ...settings, chainName: 'regtest' }, { minesOnDemand: true, log: deps.log });
  return { adapter, testChain };
};
