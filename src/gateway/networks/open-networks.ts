// The networks of a gateway: for each, how it is opened; then all of them are treated alike.

import type { TestChainControl } from '../../domain/test-chain.ts';
import { hasAdapter, openAdapter } from '../../chain/open-adapter.ts';
import type { Config, NetworkConfig } from '../../config/config.ts';
import { NETWORKS, type Network, type NetworkKind } from '../../values/assets.ts';
import { storeAccounts } from './derivation-accounts.ts';
import { connectNetwork, type ConnectParts, type OpenedNetwork } from './connect-network.ts';
import { openEvm } from './evm.ts';
import { openUtxo } from './utxo.ts';
import { StartError, type GatewayOptions, type Stops } from '../lifecycle.ts';

export interface ChainParts extends ConnectParts {
  readonly options: GatewayOptions;
  readonly stops: Stops;
  readonly simulations: Map<string, TestChainControl>;
}

/**
 * Opens a network: on the nodes that are configured for it, or, without them, on a chain that the sandbox runs itself.
 * Throws `ChainUnavailable` when it must ask the node and gets no answer; it is called again then.
 */
export type Opener = (parts: ChainParts, network: Network, node: NetworkConfig | null) => Promise<OpenedNetwork>;

/** Kinds that the sandbox can simulate on. The others are followed as they are. */
const OPENERS: Partial<Record<NetworkKind, Opener>> = {
  evm: openEvm,
  utxo: openUtxo,
};

const openPlain: Opener = ({ deps: { log } }, network, node) => {
  if (node === null) throw new StartError(`SANDBOX_NETWORKS: the sandbox has no chain for ${network}`);
  return Promise.resolve({ adapter: openAdapter(network, node, { log }), testChain: null });
};

/** Opens every network that there is a node for, and the sandbox's own. */
export async function openChains(parts: ChainParts): Promise<void> {
  const { config, deps } = parts;
  const own = config.roles.has('observer') ? config.sandboxNetworks : [];
  refuseWithoutChain(config);
  const opened = await Promise.allSettled([
    ...[...config.networks].map(([network, node]) => open(parts, network, node)),
    ...own.map((network) => open(parts, network, null)),
  ]);
  // All of them came to an end first: one that is still starting could not be stopped.
  const failed = opened.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  await storeAccounts(config, deps);
}

async function open(parts: ChainParts, network: Network, node: NetworkConfig | null): Promise<void> {
  if (!hasAdapter(network)) throw new StartError(`${network}_RPC_URL: this version has no adapter for ${network}`);
  const opener = OPENERS[NETWORKS[network].kind] ?? openPlain;
  await connectNetwork(parts, network, () => opener(parts, network, node));
}

/** The sandbox's own chains run where the observer does; other processes must be told of a node. */
function refuseWithoutChain({ environment, networks, roles }: Config): void {
  if (environment !== 'sandbox' || networks.size > 0 || roles.has('observer')) return;
  throw new StartError(
    'ETH_RPC_URL is required where the observer role, which runs the development chain, runs elsewhere',
  );
}
