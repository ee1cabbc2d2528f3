// Makes rates of prices in US dollars: a code in itself is one, a merchant's fixed rate replaces the market, and else
// the rate is what the two prices say, less the spread.

import type { Clock } from '../../database/clock.ts';
import type { EntityManager } from '../../database/connection.ts';
import { isCoinCode } from '../../values/prices/currencies.ts';
import { fitsRate, marketRate, quotedRate, RATE_DECIMALS, readRate } from '../../values/prices/price.ts';
import type { MarketQuestion, MarketRate, QuotedRate, RateEvidence, RateMerchant, Rates } from './rates.ts';

/** What one unit of a code costs, in 10⁻¹⁸ US dollars; always > 0. */
export interface UsdPrice {
  readonly usd: bigint;
  readonly at: Date;
}

/** A price as it is now. */
export interface CurrentPrice extends UsdPrice {
  /** FRESH: as its sources say now. HELD: the last good one, while they say too little. */
  readonly state: 'FRESH' | 'HELD';
  /** What each source said. */
  readonly evidence: readonly RateEvidence[];
}

/** A price that is wanted as it was at a time. */
export interface PastPrice {
  readonly merchantId: string;
  readonly code: string;
  readonly at: Date;
}

/** Where prices in US dollars come from. */
export interface PriceSource {
  /** The price of a code for this merchant; null while it has none. */
  priceOf(merchant: RateMerchant, code: string): CurrentPrice | null;
  /** The prices nearest before the times, in this order, at most 24 hours older; null where there was none. */
  pricesAt(em: EntityManager, wanted: readonly PastPrice[]): Promise<(UsdPrice | null)[]>;
  /** Whether a code ever had a price here. */
  knows(code: string): boolean;
}

const ONE = 10n ** BigInt(RATE_DECIMALS);

/** Rates over a source of prices. Without one, only fixed rates and codes in themselves have any. */
export function createRates(source: PriceSource | null, clock: Clock): Rates {
  return {
    quote(merchant, asset, currency) {
      const at = clock.now();
      if (asset === currency) return { market: ONE, rate: ONE, at, state: 'FRESH', sources: [], evidence: [] };
      const fixed = findFixed(merchant, asset, currency);
      if (fixed !== null) return { market: null, rate: fixed, at, state: 'FIXED', sources: ['fixed'], evidence: [] };
      const [ofAsset, ofCurrency] = [source?.priceOf(merchant, asset), source?.priceOf(merchant, currency)];
      return ofAsset && ofCurrency ? rateOf(ofAsset, ofCurrency, merchant.spread) : null;
    },
    marketsAt: async (em, questions) => (source ? await findMarkets(source, em, questions) : questions.map(() => null)),
    knows: ({ fixedRates }, currency) =>
      isCoinCode(currency) || fixedRates.some((fixed) => fixed.currency === currency) || !!source?.knows(currency),
  };
}

function findFixed({ fixedRates }: RateMerchant, asset: string, currency: string): bigint | null {
  const fixed = fixedRates.find((each) => each.asset === asset && each.currency === currency);
  return fixed ? readRate(fixed.rate) : null;
}

/** The rate of one price over another; null for one that is nothing or fits no column. It is as old as the older. */
function rateOf(ofAsset: CurrentPrice, ofCurrency: CurrentPrice, spread: number): QuotedRate | null {
  const market = marketRate(ofAsset.usd, ofCurrency.usd);
  const rate = quotedRate(market, spread);
  if (!fitsRate(market) || !fitsRate(rate)) return null;
  const evidence = [...ofAsset.evidence, ...ofCurrency.evidence];
  return {
    ...{ market, rate, evidence },
    at: olderOf(ofAsset, ofCurrency),
    state: [ofAsset, ofCurrency].some(({ state }) => state === 'HELD') ? 'HELD' : 'FRESH',
    sources: [...new Set(evidence.map(({ feed }) => feed))],
  };
}

/** Each price is asked for once: a block has many deposits of few pairs. */
async function findMarkets(
  source: PriceSource,
  em: EntityManager,
  questions: readonly MarketQuestion[],
): Promise<(MarketRate | null)[]> {
  const pairs = questions.map(({ merchantId, asset, currency, at }) => ({
    ofAsset: { merchantId, code: asset, at },
    ofCurrency: { merchantId, code: currency, at },
  }));
  const wanted = new Map(pairs.flatMap(Object.values<PastPrice>).map((price) => [keyOf(price), price]));
  const prices = await source.pricesAt(em, [...wanted.values()]);
  const found = new Map([...wanted.keys()].map((key, nth) => [key, prices[nth]]));
  return pairs.map(({ ofAsset, ofCurrency }) => marketOf(found.get(keyOf(ofAsset)), found.get(keyOf(ofCurrency))));
}

const keyOf = ({ merchantId, code, at }: PastPrice): string => `${merchantId} ${code} ${at.getTime()}`;

function marketOf(ofAsset: UsdPrice | null | undefined, ofCurrency: UsdPrice | null | undefined): MarketRate | null {
  if (!ofAsset || !ofCurrency) return null;
  const rate = marketRate(ofAsset.usd, ofCurrency.usd);
  return fitsRate(rate) ? { rate, at: olderOf(ofAsset, ofCurrency) } : null;
}

const olderOf = (one: UsdPrice, other: UsdPrice): Date => (one.at < other.at ? one.at : other.at);
