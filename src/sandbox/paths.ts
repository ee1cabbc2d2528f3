// The paths and chain ids of the sandbox's chains, by network.

import { join } from 'node:path';
import { evmNetwork } from '../chain/evm/networks.ts';
import type { Network } from '../values/assets.ts';

/** The first chain that a sandbox ever had: its files carry no network's name. */
const FIRST = 'ETH';
/** Anvil's default, which wallets know as a development chain. */
const FIRST_CHAIN_ID = 31_337;

const named = (name: string, network: Network) => (network === FIRST ? name : `${name}-${network.toLowerCase()}`);

/** The folder of a network's chain. */
export const chainFolder = (dataDir: string, network: Network): string => join(dataDir, named('chain', network));

/** The file that tells other programs the address of a running sandbox's node. */
export const chainUrlFile = (dataDir: string, network: Network): string => join(dataDir, named('chain-url', network));

/** The EIP-155 chain id: that of the test network that the sandbox stands for. */
export const sandboxChainId = (network: Network): number =>
  network === FIRST ? FIRST_CHAIN_ID : evmNetwork(network).testChainId;
