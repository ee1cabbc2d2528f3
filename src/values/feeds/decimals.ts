// Exact arithmetic on the decimals that feeds send: read from their text, never through a float.

import { fitsUsd, USD_DECIMALS } from '../prices/price.ts';

/** A positive decimal in 10⁻³⁰. */
export type Decimal = bigint;

const DECIMALS = 30;
const TO_USD = 10n ** BigInt(DECIMALS - USD_DECIMALS);
/** No feed sends more; a longer text or exponent would only cost time. */
const MOST_CHARACTERS = 100;
const MOST_EXPONENT = 40;

/**
 * Reads a positive decimal, with or without an exponent; null for zero, for what is negative, and for all other texts.
 */
export function readDecimal(text: unknown): Decimal | null {
  if (typeof text !== 'string' || text.length > MOST_CHARACTERS) return null;
  const [, whole, fraction = '', exponent = '0'] = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text) ?? [];
  if (whole === undefined || Math.abs(Number(exponent)) > MOST_EXPONENT) return null;
  const digits = BigInt(whole + fraction);
  const shift = DECIMALS - fraction.length + Number(exponent);
  const value = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return value > 0n ? value : null;
}

/** The middle of two prices; null unless both are there. */
export const middle = (one: Decimal | null, other: Decimal | null): Decimal | null =>
  one === null || other === null ? null : (one + other) / 2n;

/** A decimal in 10⁻¹⁸ US dollars, half up; null if it is nothing, or fits no column. */
export const asUsd = (value: Decimal | null): bigint | null =>
  value === null ? null : fitting((2n * value + TO_USD) / (2n * TO_USD));

/** One decimal over another, in 10⁻¹⁸ US dollars, half up; null if one is missing, or it fits no column. */
export function ratio(dividend: Decimal | null, divisor: Decimal | null): bigint | null {
  if (dividend === null || divisor === null) return null;
  const scaled = dividend * 10n ** BigInt(USD_DECIMALS);
  return fitting((2n * scaled + divisor) / (2n * divisor));
}

/** One over a decimal, likewise. */
export const inverse = (value: Decimal | null): bigint | null => ratio(10n ** BigInt(DECIMALS), value);

const fitting = (usd: bigint): bigint | null => (fitsUsd(usd) ? usd : null);
