// Checks of rates, whose faults are reported together with the others of a request.

import { decimalOf, isDecimal, isZero } from '../../values/amount.ts';
import * as checks from '../../values/checks.ts';
import type { Check } from '../../values/checks.ts';
import { isCoinCode, isFiat, priceDecimals } from '../../values/prices/currencies.ts';
import { RATE_DECIMALS, USD_DECIMALS } from '../../values/prices/price.ts';
import type { TogetherCheck } from './validation.ts';

/** The most pairs that a merchant may fix a rate for. */
export const MOST_FIXED_RATES = 50;

export const fixedRateCount = checks.listOf(0, MOST_FIXED_RATES);

/** A value of another type has a fault of its own; an object need not even have a text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const upper = (value: unknown): string => textOf(value).toUpperCase();

/** The code of a coin, in any case. */
export const coinCode: Check = (value) => (isCoinCode(upper(value)) ? null : 'is not a coin of this gateway');

/** A state's currency, in any case. */
export const fiatCode: Check = (value) => (isFiat(upper(value)) ? null : 'is not a currency in use (ISO 4217)');

/** A currency that something may be priced in, in any case. */
export const priceCurrency: Check = (value) =>
  priceDecimals(upper(value)) === null ? 'is neither a currency in use nor a coin of this gateway' : null;

/** A code whose price the sandbox can move: a coin's or a currency's, but not the dollar, which all are measured in. */
export const movableCode: Check = (value) => {
  const code = upper(value);
  if (code === 'USD') return 'is what the others are measured in';
  return isCoinCode(code) || isFiat(code) ? null : 'is neither a currency in use nor a coin of this gateway';
};

const positiveDecimal = (decimals: number): Check =>
  checks.bounded({ pattern: decimalOf(decimals).source, ...checks.ABOVE_ZERO }, (value) => {
    const text = textOf(value);
    if (!isDecimal(text) || isZero(text)) return 'must be a decimal number above zero in a string, such as "1.08"';
    return decimalOf(decimals).test(text) ? null : `must have at most ${String(decimals)} decimals`;
  });

/** A rate: positive, at most 12 decimals. */
export const rate = positiveDecimal(RATE_DECIMALS);

/** A price in US dollars: positive, at most 18 decimals. */
export const usdPrice = positiveDecimal(USD_DECIMALS);

/** Reports pairs in `fixedRates` that an earlier one names already, and pairs of a code with itself, which is one. */
export const pairsFixedTwice: TogetherCheck = ({ fixedRates }) => {
  if (!Array.isArray(fixedRates) || fixedRates.length > MOST_FIXED_RATES) return [];
  const seen = new Set<string>();
  return fixedRates.flatMap((fixed: unknown, index) => {
    if (fixed === null || typeof fixed !== 'object') return [];
    const { asset, currency } = fixed as Readonly<Record<string, unknown>>;
    if (typeof asset !== 'string' || typeof currency !== 'string') return [];
    const path = `fixedRates.${String(index)}`;
    if (upper(asset) === upper(currency)) return [{ path, message: 'is always 1' }];
    const pair = `${upper(asset)}/${upper(currency)}`;
    if (seen.has(pair)) return [{ path, message: 'is fixed twice' }];
    seen.add(pair);
    return [];
  });
};
