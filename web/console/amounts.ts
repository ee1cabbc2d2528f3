// Amounts in the console: decimal strings everywhere. Calculations work on digits and never on numbers.

import { priceDecimals } from '../../src/values/prices/currencies.ts';
import { withoutTrailing } from '../../src/values/formats/text.ts';

/** Formats an amount for display, its whole digits in groups of three: `-1234567.50` → `-1,234,567.50`. */
export function readable(amount: string): string {
  const [whole = '', fraction] = amount.split('.');
  const digits = whole.startsWith('-') ? whole.slice(1) : whole;
  const groups = Array.from({ length: Math.ceil(digits.length / 3) }, (_, n) =>
    digits.slice(-3 * (n + 1), digits.length - 3 * n),
  );
  const grouped = `${whole.startsWith('-') ? '-' : ''}${groups.toReversed().join(',')}`;
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Where digits after this many decimals are noise, as in a column of balances: an 18th decimal is worth nothing. */
const MOST_DECIMALS = 8;

/** How many decimals an amount has at least when it is shown: cents, unless the currency has none. */
const leastDecimals = (currency: string): number => Math.min(2, priceDecimals(currency) ?? 2);

/** Formats an amount of a currency: `1234.5` USDT → `1,234.50`. */
export function written(amount: string, currency: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  const digits = withoutTrailing(fraction, '0').padEnd(leastDecimals(currency), '0');
  return readable(digits === '' ? whole : `${whole}.${digits}`);
}

/** The same without digits that are noise beside others; an amount that is nothing else keeps all of them. */
export function shortened(amount: string, currency: string): string {
  const [whole = '', fraction = ''] = amount.split('.');
  const short = `${whole}.${fraction.slice(0, MOST_DECIMALS)}`;
  return written(isZero(short) ? amount : short, currency);
}

/** What the gateway counts no further than. */
export const MOST_COUNTED = 1_000;

/** A count of the gateway: the most stands for that many or more. */
export const counted = (count: number): string =>
  count >= MOST_COUNTED ? `${readable(String(MOST_COUNTED))}+` : String(count);

/** Whether an amount is zero, with any number of digits. */
export const isZero = (amount: string): boolean => /^-?0*(\.0*)?$/.test(amount);

/** The exact difference `a - b` of two non-negative amounts, where `a` is at least `b`. */
export function less(a: string, b: string): string {
  const decimals = Math.max(decimalsOf(a), decimalsOf(b));
  return decimal(units(a, decimals) - units(b, decimals), decimals);
}

/** The exact sum of two non-negative amounts. */
export function sum(a: string, b: string): string {
  const decimals = Math.max(decimalsOf(a), decimalsOf(b));
  return decimal(units(a, decimals) + units(b, decimals), decimals);
}

/** What `amount` is worth at `rate`, rounded down to so many decimals. */
export function worthAt(amount: string, rate: string, decimals: number): string {
  const have = decimalsOf(amount) + decimalsOf(rate);
  const product = units(amount, decimalsOf(amount)) * units(rate, decimalsOf(rate));
  return decimal((product * 10n ** BigInt(decimals)) / 10n ** BigInt(have), decimals);
}

/** The share of `value` that `part` has of `whole`, which is positive; rounded down to so many decimals. */
export function shareOf(value: string, part: string, whole: string, decimals: number): string {
  const both = Math.max(decimalsOf(part), decimalsOf(whole));
  const have = Math.max(decimals, decimalsOf(value));
  const share = (units(value, have) * units(part, both)) / units(whole, both);
  return decimal(share / 10n ** BigInt(have - decimals), decimals);
}

const MOST_SIGNIFICANT = 6;

/** A positive figure with six significant digits at most, rounded half up: `0.00123456789` → `0.00123457`. */
export function significant(figure: string): string {
  const [whole = '0', fraction = ''] = figure.split('.');
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0;
  const kept = /^0*$/.test(whole) ? zeros + MOST_SIGNIFICANT : Math.max(0, MOST_SIGNIFICANT - whole.length);
  if (fraction.length <= kept) return figure;
  const isUp = (fraction[kept] ?? '0') >= '5';
  return decimal(units(`${whole}.${fraction.slice(0, kept)}`, kept) + (isUp ? 1n : 0n), kept);
}

/** Compares two amounts: negative, zero or positive, like a sort comparator. */
export function compareAmounts(a: string, b: string): number {
  const decimals = Math.max(decimalsOf(a), decimalsOf(b));
  const difference = units(a, decimals) - units(b, decimals);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function decimal(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  if (decimals === 0) return digits;
  return withoutTrailing(withoutTrailing(`${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`, '0'), '.');
}

/** How many digits an amount has after its point. */
export const decimalsOf = (amount: string) => amount.split('.')[1]?.length ?? 0;

function units(amount: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
