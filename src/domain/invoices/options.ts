// What the customer of an invoice may choose: each coin with about what it takes of it, or why it may not be chosen.

import type { AcceptedAsset } from '../../entities/invoice.ts';
import type { OptionState } from '../../entities/enums.ts';
import { formatAmount } from '../../values/amount.ts';
import { ASSETS, findAsset, limitsOf, NETWORKS, type Asset, type Network } from '../../values/assets.ts';
import { coinAmount } from '../../values/prices/price.ts';
import type { Deps } from '../deps.ts';
import type { RateMerchant } from '../rates/rates.ts';
import { findChain } from '../requested-amount.ts';

/** A coin on a network that may be chosen, or why it may not. */
export interface CheckoutOption {
  readonly currency: string;
  readonly network: Network;
  readonly networkName: string;
  readonly state: OptionState;
  /** A decimal string; null without a rate. */
  readonly approximateAmount: string | null;
}

/** What the options are for. */
export interface OptionsRequest {
  /** What may be chosen; null for all that this deployment has a node for. */
  readonly accepted: readonly AcceptedAsset[] | null;
  /** The price's currency. */
  readonly currency: string;
  /** What is due, as a value in 10⁻³⁰; more than zero. */
  readonly due: bigint;
  /** With the spread of the invoice. */
  readonly merchant: RateMerchant;
}

type OptionsDeps = Pick<Deps, 'chains' | 'assetsOff' | 'rates'>;

/** The options, in the order of the table of assets. Asks rates from memory, neither nodes nor the database. */
export function optionsOf(deps: OptionsDeps, { accepted, ...request }: OptionsRequest): CheckoutOption[] {
  const named = accepted?.flatMap(({ currency, network }) => findAsset(currency, network) ?? []);
  const offered = ASSETS.filter((asset) =>
    named ? named.includes(asset) : deps.chains.get(asset.network)?.adapter.contracts.has(asset.currency),
  );
  return offered.map((asset) => optionOf(deps, request, asset));
}

/** The questions are asked in the order in which the choice asks them. */
function optionOf(
  deps: OptionsDeps,
  { currency, due, merchant }: Omit<OptionsRequest, 'accepted'>,
  asset: Asset,
): CheckoutOption {
  const rate = deps.rates?.quote(merchant, asset.currency, currency)?.rate ?? null;
  const units = rate === null ? null : coinAmount(due, rate, asset);
  return {
    currency: asset.currency,
    network: asset.network,
    networkName: NETWORKS[asset.network].name,
    state: stateOf(deps, asset, units),
    approximateAmount: units === null ? null : formatAmount(units, asset.decimals),
  };
}

function stateOf(deps: OptionsDeps, asset: Asset, units: bigint | null): OptionState {
  if (!findChain('ORDER', deps, asset)) return 'NO_NODE';
  if (units === null) return 'NO_RATE';
  const { min, max } = limitsOf(asset, deps.chains.has(asset.network));
  if (units < min) return 'BELOW_MINIMUM';
  return units > max ? 'ABOVE_MAXIMUM' : 'OPEN';
}
