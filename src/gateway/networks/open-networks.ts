// Opens all networks of the gateway, each in the way of its kind, and connects them.

import { hasAdapter, openAdapter } from '../../chain/open-adapter.ts';
import type { Config, NetworkConfig } from '../../config/config.ts';
import { NETWORKS, type Network, type NetworkKind } from '../../values/assets.ts';
import { storeAccounts } from './derivation-accounts.ts';
import { connectNetwork } from './connect-network.ts';
import { openEvm } from './evm.ts';
import type { Opener, OpenerParts } from './opener.ts';
import { openUtxo } from './utxo.ts';
import { StartError } from '../lifecycle.ts';

/** Kinds that the sandbox can simulate on; other kinds only connect to a node. */
const OPENERS: Partial<Record<NetworkKind, Opener>> = {
  evm: openEvm,
  utxo: openUtxo,
};

const openPlain: Opener = ({ deps: { log } }, network, node) => {
  if (node === null) throw new StartError(`SANDBOX_NETWORKS: the sandbox has no chain for ${network}`);
  return Promise.resolve({ adapter: openAdapter(network, node, { log }), testChain: null });
};

/** Opens every network with a configured node, and the sandbox's own chains. */
export async function openNetworks(parts: OpenerParts): Promise<void> {
  const { config, deps } = parts;
  const own = config.roles.has('observer') ? config.sandboxNetworks : [];
  refuseWithoutChain(config);
  const opened = await Promise.allSettled([
    ...[...config.networks].map(([network, node]) => open(parts, network, node)),
    ...own.map((network) => open(parts, network, null)),
  ]);
  // Wait for all first: a network that is still starting could not be stopped.
  const failed = opened.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  await storeAccounts(config, deps);
}

async function open(parts: OpenerParts, network: Network, node: NetworkConfig | null): Promise<void> {
  if (!hasAdapter(network)) throw new StartError(`${network}_RPC_URL: this version has no adapter for ${network}`);
  const opener = OPENERS[NETWORKS[network].kind] ?? openPlain;
  await connectNetwork(parts, network, () => opener(parts, network, node));
}

/** The sandbox's own chains run with the observer role; processes without it need a node. */
function refuseWithoutChain({ environment, networks, roles }: Config): void {
  if (environment !== 'sandbox' || networks.size > 0 || roles.has('observer')) return;
  throw new StartError(
    'ETH_RPC_URL is required: the development chain runs with the observer role, and this process does not have it',
  );
}
