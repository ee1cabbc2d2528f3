// Opens the adapter of TRON from its settings.

import { NETWORKS } from '../../values/assets.ts';
import type { OpenAdapter } from '../settings.ts';
import { createTronAdapter } from './adapter.ts';

const TIMEOUT_MS = 15_000;

/** Accepts the coin and every token with a configured contract. */
export const openTronAdapter: OpenAdapter = (network, node) => {
  return createTronAdapter({
    ...{ network, url: node.url, finalUrl: node.finalUrl ?? null, apiKey: node.apiKey ?? null, timeoutMs: TIMEOUT_MS },
    ...(node.chainId === null ? {} : { chainId: node.chainId }),
    contracts: new Map<string, string | null>([[NETWORKS[network].coin, null], ...node.contracts]),
  });
};
