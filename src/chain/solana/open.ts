// The adapter of Solana from its configuration.

import { NETWORKS } from '../../values/assets.ts';
import type { OpenAdapter } from '../settings.ts';
import { createSolanaAdapter } from './adapter.ts';

/** A whole block is some megabytes. */
const TIMEOUT_MS = 20_000;

/** Makes it. The coin is always taken, and the tokens that have a contract. */
export const openSolanaAdapter: OpenAdapter = (network, node) => {
  return createSolanaAdapter({
    ...{ network, url: node.url, timeoutMs: TIMEOUT_MS },
    ...(node.genesisHash == null ? {} : { genesisHash: node.genesisHash }),
    contracts: new Map<string, string | null>([[NETWORKS[network].coin, null], ...node.contracts]),
  });
};
