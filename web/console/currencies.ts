// The currencies that prices may be in, with their names.

import { COIN_CODES, FIAT_CODES } from '../../src/values/prices/currencies.ts';

const NAMES = new Intl.DisplayNames('en', { type: 'currency' });

function named(code: string): [code: string, words: string] {
  const name = NAMES.of(code) ?? code;
  return [code, name === code ? code : `${code}, ${name}`];
}

/** States' currencies as options of a select field: `EUR, Euro`. */
export const FIAT_OPTIONS: readonly (readonly [code: string, words: string])[] = FIAT_CODES.map(named);

/** The codes of coins as options of a select field. */
export const COIN_OPTIONS: readonly (readonly [code: string, words: string])[] = COIN_CODES.map((code) => [code, code]);

/** All that something can be priced in, as options of a select field. */
export const PRICE_OPTIONS: readonly (readonly [code: string, words: string])[] = [...FIAT_OPTIONS, ...COIN_OPTIONS];
