// Opens the adapter of Solana from its settings.

import { NETWORKS } from '../../values/assets.ts';
import type { OpenAdapter } from '../settings.ts';
import { createSolanaAdapter } from './adapter.ts';

/** Long, because a whole block is several megabytes. */
const TIMEOUT_MS = 20_000;

/** Accepts the coin and every token with a configured contract. */
export const openSolanaAdapter: OpenAdapter = (network, node) => {
  return createSolanaAdapter({
    ...{ network, url: node.url, timeoutMs: TIMEOUT_MS },
    ...(node.genesisHash == null ? {} : { genesisHash: node.genesisHash }),
    contracts: new Map<string, string | null>([[NETWORKS[network].coin, null], ...node.contracts]),
  });
};
