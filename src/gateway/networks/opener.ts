// Types of the functions that open a network, one for each kind of network.

import type { NetworkConfig } from '../../config/config.ts';
import type { TestChainControl } from '../../domain/test-chain.ts';
import type { Network } from '../../values/assets.ts';
import type { GatewayOptions, Stops } from '../lifecycle.ts';
import type { ConnectParts, OpenedNetwork } from './connect-network.ts';

export interface OpenerParts extends ConnectParts {
  readonly options: GatewayOptions;
  readonly stops: Stops;
  readonly simulations: Map<string, TestChainControl>;
}

/**
 * Opens a network: on its configured nodes or, without any, on a chain that the sandbox runs itself. Throws
 * `ChainUnavailable` if it needs the node's answer and gets none; it is called again then.
 */
export type Opener = (parts: OpenerParts, network: Network, node: NetworkConfig | null) => Promise<OpenedNetwork>;
