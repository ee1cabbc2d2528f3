// Settings from which the adapter of a network is opened: its nodes, token contracts, chain and price limits.

import type { Logger } from 'pino';
import type { Network } from '../values/assets.ts';
import type { ChainAdapter } from './adapter.ts';

/** How to reach one node. Nothing here is sent to any other node. */
export interface NodeEndpoint {
  readonly url: string;
  /** A file with the node's credentials. */
  readonly cookiePath?: string | null;
  /** The API key that a node host requires, where it is not part of the URL. */
  readonly apiKey?: string | null;
  /** The URL of the node's finalised state, for kinds that serve it separately (TRON). */
  readonly finalUrl?: string | null;
}

/** A network's settings as configured. */
export interface NodeSettings {
  /** At least one. */
  readonly nodes: readonly NodeEndpoint[];
  /** Token contracts by currency, without the coin. */
  readonly contracts: ReadonlyMap<string, string>;
  /** The chain id, for kinds that number their chains. Null: the main network. */
  readonly chainId: number | null;
  readonly trace: boolean;
  /** The chain's name, for kinds that name their chains; `main` by default. */
  readonly chainName?: string | null;
  /** Whether our addresses are taproot (BIP-86). */
  readonly taproot?: boolean;
  /** The most that our transactions pay per byte, in base units. */
  readonly maxFeeRate?: bigint | null;
  /**
   * The most that our transactions offer per unit of gas, and the part of it for the block producer. Null: the
   * network's.
   */
  readonly maxGasPriceWei?: bigint | null;
  readonly maxTipWei?: bigint | null;
  /** The hash of the first block, for kinds that identify their chains by it. Null: the main network. */
  readonly genesisHash?: string | null;
}

/** The settings that apply to the network as a whole, not to one of its nodes. */
export type SharedSettings = Omit<NodeSettings, 'nodes'>;

/** Options that apply to every kind of adapter. */
export interface AdapterSettings {
  /** True on a development chain. */
  readonly minesOnDemand?: boolean;
  readonly log?: Logger;
}

/** Opens the adapter of one node; asks it nothing yet. Throws if a setting is invalid. */
export type OpenAdapter = (
  network: Network,
  node: SharedSettings & NodeEndpoint,
  settings?: AdapterSettings,
) => ChainAdapter;
