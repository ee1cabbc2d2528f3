// Every pair the product knows, with its limits, and whether this deployment can take it at this moment.

import { formatAmount } from '../../values/amount.ts';
import { ASSETS, limitsOf, NETWORKS, type Network } from '../../values/assets.ts';
import { chainForOrders, type Deps } from '../deps.ts';

/** A currency on a network. Amounts are decimal strings. */
export interface Currency {
  readonly currency: string;
  readonly network: Network;
  /** The network's name. */
  readonly name: string;
  readonly decimals: number;
  /** The token's contract where this deployment takes it; null for coins, and without a node. */
  readonly contract: string | null;
  readonly minAmount: string;
  readonly maxAmount: string;
  /** What a withdrawal is charged on top; "0" where this deployment has no node. */
  readonly networkFee: string;
  /** Blocks that make a payment final, the including one counted. */
  readonly confirmations: number;
  readonly available: boolean;
}

/** All pairs, coins first, in the order of the asset table. */
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
      available: chainForOrders(deps, asset) !== null,
    };
  });
}
