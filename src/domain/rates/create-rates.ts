// Makes rates of prices in US dollars: a code in itself is one, a merchant's fixed rate replaces the market, and else
// the rate is what the two prices say, less the spread.

import type { Clock } from '../../database/clock.ts';
import { formatAmount } from '../../values/amount.ts';
import { isCoinCode } from '../../values/prices/currencies.ts';
import { marketRate, quotedRate, RATE_DECIMALS, readRate, USD_DECIMALS } from '../../values/prices/price.ts';
import type { QuotedRate, RateEvidence, RateMerchant, Rates } from './rates.ts';

/** What one unit of a code costs, in 10⁻¹⁸ US dollars; always > 0. */
export interface UsdPrice {
  readonly code: string;
  readonly usd: bigint;
  readonly at: Date;
  readonly source: string;
}

/** Where prices in US dollars come from. */
export interface PriceSource {
  /** The price of a code for this merchant at a time, at most 24 hours older; null if it had none. */
  priceOf(merchant: Pick<RateMerchant, 'movedPrices'>, code: string, at: Date): UsdPrice | null;
  /** Whether a code ever had a price here. */
  knows(code: string): boolean;
}

const ONE = 10n ** BigInt(RATE_DECIMALS);
/** The column of a rate takes 36 digits, 12 of them decimals. */
const TOO_LARGE = 10n ** 36n;

/** Rates over a source of prices. Without one, only fixed rates and codes in themselves have any. */
export function createRates(source: PriceSource | null, clock: Clock): Rates {
  const rateAt = (
    merchant: Pick<RateMerchant, 'movedPrices'>,
    asset: string,
    currency: string,
    { at, spread }: { at: Date; spread: number },
  ) => {
    const [ofAsset, ofCurrency] = [source?.priceOf(merchant, asset, at), source?.priceOf(merchant, currency, at)];
    return ofAsset && ofCurrency ? rateOf(ofAsset, ofCurrency, spread) : null;
  };
  return {
    quote(merchant, asset, currency) {
      const at = clock.now();
      if (asset === currency) return { market: ONE, rate: ONE, at, state: 'FRESH', sources: [], evidence: [] };
      const fixed = findFixed(merchant, asset, currency);
      if (fixed !== null) return { market: null, rate: fixed, at, state: 'FIXED', sources: ['fixed'], evidence: [] };
      return rateAt(merchant, asset, currency, { at, spread: merchant.spread });
    },
    marketAt(merchant, asset, currency, at) {
      const found = rateAt(merchant, asset, currency, { at, spread: 0 });
      return found && { rate: found.rate, at: found.at };
    },
    knows: ({ fixedRates }, currency) =>
      isCoinCode(currency) || fixedRates.some((fixed) => fixed.currency === currency) || !!source?.knows(currency),
  };
}

function findFixed({ fixedRates }: RateMerchant, asset: string, currency: string): bigint | null {
  const fixed = fixedRates.find((each) => each.asset === asset && each.currency === currency);
  return fixed ? readRate(fixed.rate) : null;
}

/** The rate of one price over another; null for one that is nothing or fits no column. It is as old as the older. */
function rateOf(ofAsset: UsdPrice, ofCurrency: UsdPrice, spread: number): QuotedRate | null {
  const market = marketRate(ofAsset.usd, ofCurrency.usd);
  const rate = quotedRate(market, spread);
  if (rate <= 0n || rate >= TOO_LARGE || market >= TOO_LARGE) return null;
  const at = ofAsset.at < ofCurrency.at ? ofAsset.at : ofCurrency.at;
  const evidence = [ofAsset, ofCurrency].map(evidenceOf);
  return { market, rate, at, state: 'FRESH', sources: [...new Set(evidence.map(({ feed }) => feed))], evidence };
}

const evidenceOf = ({ code, usd, at, source }: UsdPrice): RateEvidence => ({
  ...{ feed: source, code, usd: formatAmount(usd, USD_DECIMALS), at: at.toISOString() },
});
