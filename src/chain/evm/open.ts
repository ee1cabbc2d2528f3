// Opens the adapter of an EVM network from its settings.

import { NETWORKS } from '../../values/assets.ts';
import type { OpenAdapter } from '../settings.ts';
import { createEvmAdapter } from './adapter.ts';

const TIMEOUT_MS = 15_000;

/** Accepts the coin and every token with a configured contract. */
export const openEvmAdapter: OpenAdapter = (network, node, { minesOnDemand = false, log } = {}) => {
  return createEvmAdapter({
    ...{ network, rpcUrl: node.url, minesOnDemand, trace: node.trace, timeoutMs: TIMEOUT_MS },
    ...(node.chainId === null ? {} : { chainId: node.chainId }),
    ...(node.maxGasPriceWei == null ? {} : { maxFeePerGasWei: node.maxGasPriceWei }),
    ...(node.maxTipWei == null ? {} : { maxTipPerGasWei: node.maxTipWei }),
    contracts: new Map<string, string | null>([[NETWORKS[network].coin, null], ...node.contracts]),
    ...(log ? { log } : {}),
  });
};
