// Bitstamp's tickers of all pairs. https://www.bitstamp.net/api/#tag/Tickers

import { asUsd, inverse, middle, readDecimal } from './decimals.ts';
import { fieldOf, itemsOf, parseWithNumbersAsText, readSeconds } from './json-text.ts';
import { isPriced, tickOf, type ReadTicks, type Tick } from './tick.ts';

/** Reads the middle of bid and ask of each pair with the dollar, either way round, as of its own timestamp. */
export const readBitstamp: ReadTicks = (body, arrivedAt) =>
  itemsOf(parseWithNumbersAsText(body), 'the answer').flatMap((ticker) => ticksOf(ticker, arrivedAt));

/** An answer may not say: then there is only this. */
const isSpot = (market: unknown): boolean => market === undefined || market === 'SPOT';

function ticksOf(ticker: unknown, arrivedAt: Date): Tick[] {
  const [pair, at] = [fieldOf(ticker, 'pair'), readSeconds(fieldOf(ticker, 'timestamp'), arrivedAt)];
  // Perpetual contracts are listed among the pairs.
  if (typeof pair !== 'string' || at === null || !isSpot(fieldOf(ticker, 'market_type'))) return [];
  const price = middle(readDecimal(fieldOf(ticker, 'bid')), readDecimal(fieldOf(ticker, 'ask')));
  const [base = '', quoted = ''] = pair.split('/');
  if (quoted === 'USD' && isPriced(base)) return tickOf(base, asUsd(price), at);
  return base === 'USD' && isPriced(quoted) ? tickOf(quoted, inverse(price), at) : [];
}
