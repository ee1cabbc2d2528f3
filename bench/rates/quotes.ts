// Quotes from the memory of a process, and what they are compared with: the same two prices read from PostgreSQL for
// each quote, and two floating-point numbers in a map, which is the least that a quote could be.

import type { Database } from '../../src/database/connection.ts';
import { readFiguresAt, storeFigures } from '../../src/database/queries/rates/figures.ts';
import { createRates } from '../../src/domain/rates/create-rates.ts';
import { createMarketPrices } from '../../src/domain/rates/market-prices.ts';
import type { RateMerchant, Rates } from '../../src/domain/rates/rates.ts';
import { COIN_CODES, FIAT_CODES } from '../../src/values/prices/currencies.ts';

export const MERCHANT: RateMerchant = { id: 'mer_bench', spread: 100, fixedRates: [], movedPrices: {} };
const clock = { now: () => new Date() };
const LAST_GOOD_MINUTES = 60;
const FEEDS = ['kraken', 'coinbase', 'bitstamp', 'coingecko'];
/** How many statements are under way at once. */
const CONNECTIONS = 8;
/** Between two looks at the time. */
const BATCH = 500;

/** Stores a figure of each code, and opens the memory that reads them. */
export async function openRates(db: Database): Promise<Rates> {
  const at = clock.now();
  const sources = FEEDS.map((feed) => ({ feed, usd: '1.25', at: at.toISOString() }));
  const figures = [...COIN_CODES, ...FIAT_CODES].map((code, nth) => ({
    ...{ code, at, sources },
    usd: 125n * 10n ** 16n * BigInt(nth + 1),
  }));
  await storeFigures(db.em, figures);
  const prices = createMarketPrices({ db, clock }, { pollSeconds: 30, lastGoodMinutes: LAST_GOOD_MINUTES });
  await prices.worker.processNext();
  return createRates(prices, clock);
}

const PAIRS = COIN_CODES.flatMap((asset) => FIAT_CODES.map((currency) => ({ asset, currency })));
const pairOf = (nth: number) => PAIRS[nth % PAIRS.length] ?? { asset: 'BTC', currency: 'EUR' };

/** What gives quotes: `run` answers how many a second, over so many seconds. */
export interface Contestant {
  readonly name: string;
  run(seconds: number): Promise<number>;
}

export const contestants = (db: Database, rates: Rates): readonly Contestant[] => [
  { name: 'quotes from memory', run: (seconds) => Promise.resolve(count(seconds, (nth) => quote(rates, nth))) },
  { name: 'two floats in a map', run: (seconds) => Promise.resolve(count(seconds, divideFloats())) },
  { name: 'PostgreSQL', run: (seconds) => readEach(db, seconds) },
];

function quote(rates: Rates, nth: number): void {
  const { asset, currency } = pairOf(nth);
  if (!rates.quote(MERCHANT, asset, currency)) throw new Error(`There is no rate of ${asset} in ${currency}`);
}

function divideFloats(): (nth: number) => void {
  const prices = new Map([...COIN_CODES, ...FIAT_CODES].map((code, nth) => [code, 1.25 * (nth + 1)]));
  return (nth) => {
    const { asset, currency } = pairOf(nth);
    const rate = ((prices.get(asset) ?? 0) / (prices.get(currency) ?? 0)) * 0.99;
    if (!(rate > 0)) throw new Error(`There is no rate of ${asset} in ${currency}`);
  };
}

function count(seconds: number, work: (nth: number) => void): number {
  const startedMs = performance.now();
  let done = 0;
  while (performance.now() - startedMs < seconds * 1_000) for (let nth = 0; nth < BATCH; nth += 1) work(done++);
  return (done * 1_000) / (performance.now() - startedMs);
}

/** Both prices of each quote by one statement. */
async function readEach(db: Database, seconds: number): Promise<number> {
  const startedMs = performance.now();
  let done = 0;
  const loop = async () => {
    while (performance.now() - startedMs < seconds * 1_000) {
      const { asset, currency } = pairOf(done++);
      const at = clock.now();
      const found = await readFiguresAt(db.em, [
        { code: asset, at },
        { code: currency, at },
      ]);
      if (found.includes(null)) throw new Error(`There is no figure of ${asset} or ${currency}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, loop));
  return (done * 1_000) / (performance.now() - startedMs);
}
