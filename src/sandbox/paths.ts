// Where the sandbox keeps the chain of each network, and which chain it is.

import { join } from 'node:path';
import { evmNetwork } from '../chain/evm/networks.ts';
import type { Network } from '../values/assets.ts';

/** The first chain that a sandbox ever had: data folders know it by no network's name. */
const FIRST = 'ETH';
/** Anvil's own, which wallets know as a development chain. */
const FIRST_CHAIN_ID = 31_337;

const named = (name: string, network: Network) => (network === FIRST ? name : `${name}-${network.toLowerCase()}`);

/** The folder of a network's chain. */
export const chainFolder = (dataDir: string, network: Network): string => join(dataDir, named('chain', network));

/** The file that tells other programs where the node of a running sandbox's chain is. */
export const chainUrlFile = (dataDir: string, network: Network): string => join(dataDir, named('chain-url', network));

/** EIP-155: that of the test network that the sandbox stands for. */
export const sandboxChainId = (network: Network): number =>
  network === FIRST ? FIRST_CHAIN_ID : evmNetwork(network).testChainId;
