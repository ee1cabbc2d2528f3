// Every currency on every network, with its limits and whether this deployment takes it at the moment.

import { formatAmount } from '../../values/amount.ts';
import { ASSETS, limitsOf, NETWORKS, type Network } from '../../values/assets.ts';
import type { Deps } from '../deps.ts';
import { findChain } from '../requested-amount.ts';

/** A currency on a network (contract, section 4, GET /currencies). Amounts are decimal strings. */
export interface Currency {
  readonly currency: string;
  readonly network: Network;
  /** The network's name. */
  readonly name: string;
  readonly decimals: number;
  /** The token's contract that this deployment takes; null for coins, and without a node. */
  readonly contract: string | null;
  readonly minAmount: string;
  readonly maxAmount: string;
  /** Charged on top of a withdrawal; "0" without a node. */
  readonly networkFee: string;
  /** Blocks that make a payment final; the including block is the first. */
  readonly confirmations: number;
  readonly available: boolean;
}

/** All currencies, coins first, in the order of the asset table. Asks neither node nor database. */
export function listCurrencies(deps: Pick<Deps, 'chains' | 'assetsOff'>): Currency[] {
  return ASSETS.map((asset) => {
    const { currency, network, decimals } = asset;
    const chain = deps.chains.get(network);
    const { min, max } = limitsOf(asset, chain !== undefined);
    return {
      ...{ currency, network, decimals },
      name: NETWORKS[network].name,
      contract: chain?.adapter.contracts.get(currency) ?? null,
      minAmount: formatAmount(min, decimals),
      maxAmount: formatAmount(max, decimals),
      networkFee: formatAmount(chain?.networkFees.get(currency) ?? 0n, decimals),
      confirmations: chain?.requiredConfirmations ?? NETWORKS[network].confirmations,
      available: findChain('ORDER', deps, asset) !== null,
    };
  });
}
