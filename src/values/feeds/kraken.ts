// Kraken's ticker of all pairs. Asking for named pairs would fail as a whole for one name that it does not know.
// https://docs.kraken.com/api/docs/rest-api/get-ticker-information

import { COIN_CODES, FIAT_CODES, isFiat } from '../prices/currencies.ts';
import { asUsd, inverse, middle, readDecimal } from './decimals.ts';
import { fieldOf, fieldsOf, parseWithNumbersAsText } from './json-text.ts';
import { isPriced, tickOf, type ReadTicks } from './tick.ts';

/** Old coins are listed with an X before their code and old currencies with a Z, newer ones without; BTC is XBT. */
function namesOf(code: string): string[] {
  const name = code === 'BTC' ? 'XBT' : code;
  return [name, `${isFiat(code) ? 'Z' : 'X'}${name}`];
}

/** The pairs of our codes with the dollar, either way round, by all names that they may have. */
const PAIRS = new Map<string, { readonly code: string; readonly isInverse: boolean }>(
  [...COIN_CODES, ...FIAT_CODES]
    .filter(isPriced)
    .flatMap((code) =>
      namesOf(code).flatMap((name) =>
        namesOf('USD').flatMap((usd) => [
          [`${name}${usd}`, { code, isInverse: false }] as const,
          [`${usd}${name}`, { code, isInverse: true }] as const,
        ]),
      ),
    ),
);

const firstOf = (list: unknown) => readDecimal(fieldOf(list, '0'));

/** Reads the middle of the best bid and ask of each pair. It says no times. */
export const readKraken: ReadTicks = (body, arrivedAt) =>
  fieldsOf(fieldOf(parseWithNumbersAsText(body), 'result'), 'result').flatMap(([name, ticker]) => {
    const pair = PAIRS.get(name);
    if (!pair) return [];
    const price = middle(firstOf(fieldOf(ticker, 'a')), firstOf(fieldOf(ticker, 'b')));
    return tickOf(pair.code, pair.isInverse ? inverse(price) : asUsd(price), arrivedAt);
  });
