// Coinbase's exchange rates of the dollar: how much of each code one dollar buys.
// https://docs.cdp.coinbase.com/coinbase-app/track-apis/exchange-rates

import { inverse, readDecimal } from './decimals.ts';
import { fieldOf, fieldsOf, parseWithNumbersAsText } from './json-text.ts';
import { isPriced, tickOf, type ReadTicks } from './tick.ts';

/** Reads one over each rate. It says no times. */
export const readCoinbase: ReadTicks = (body, arrivedAt) => {
  const data = fieldOf(parseWithNumbersAsText(body), 'data');
  if (fieldOf(data, 'currency') !== 'USD') throw new Error('data.currency is not USD');
  return fieldsOf(fieldOf(data, 'rates'), 'data.rates')
    .filter(([code]) => isPriced(code))
    .flatMap(([code, rate]) => tickOf(code, inverse(readDecimal(rate)), arrivedAt));
};
