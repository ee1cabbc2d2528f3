// Rates as the API shows them: of every coin that this deployment takes, as a quote would take them now.

import type { RateState } from '../../entities/enums.ts';
import { formatAmount } from '../../values/amount.ts';
import { GatewayError } from '../../values/errors.ts';
import { COIN_CODES } from '../../values/prices/currencies.ts';
import { RATE_DECIMALS } from '../../values/prices/price.ts';
import type { Deps } from '../deps.ts';
import { readRateMerchant, type RateMerchant } from './rates.ts';

/** A rate. Figures are decimal strings; `at` is null for a fixed rate, and all are where there is none. */
export interface ShownRate {
  readonly asset: string;
  readonly currency: string;
  readonly rate: string | null;
  readonly quotedRate: string | null;
  readonly at: Date | null;
  readonly sources: readonly string[];
  readonly state: RateState;
}

type RateDeps = Pick<Deps, 'db' | 'chains' | 'rates'>;

/**
 * The rates of the coins that this deployment has a node for, in a currency. Errors: 3008 if nothing here quotes it.
 */
export async function readRates(deps: RateDeps, merchantId: string, currency: string): Promise<ShownRate[]> {
  const merchant = await readRateMerchant(deps.db.em, merchantId);
  if (!deps.rates?.knows(merchant, currency)) throw new GatewayError('NOT_QUOTED');
  const taken = new Set([...deps.chains.values()].flatMap(({ adapter }) => [...adapter.contracts.keys()]));
  const codes = COIN_CODES.filter((code) => taken.has(code));
  return codes.map((code) => showRate(deps, merchant, code, currency));
}

/** The rate of one code in a currency; the code may be a currency's, too. */
export async function readRate(deps: RateDeps, merchantId: string, code: string, currency: string): Promise<ShownRate> {
  return showRate(deps, await readRateMerchant(deps.db.em, merchantId), code, currency);
}

function showRate({ rates }: RateDeps, merchant: RateMerchant, asset: string, currency: string): ShownRate {
  const quoted = rates?.quote(merchant, asset, currency);
  if (!quoted) return { asset, currency, rate: null, quotedRate: null, at: null, sources: [], state: 'NONE' };
  const { market, rate, at, sources, state } = quoted;
  return {
    ...{ asset, currency, sources, state },
    rate: formatAmount(market ?? rate, RATE_DECIMALS),
    quotedRate: formatAmount(rate, RATE_DECIMALS),
    at: state === 'FIXED' ? null : at,
  };
}
