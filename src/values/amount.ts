// Amounts: bigint base units inside, decimal strings outside. They never pass through a JavaScript number.

import { withoutTrailing } from './formats/text.ts';

/** The contract's format of amounts (section 2): no sign, no exponent, no leading zero. */
export const DECIMAL = /^(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?$/;
/** The same format with so many decimals, from 1 to 18; zeros may follow. */
export const decimalOf = (decimals: number): RegExp =>
  decimals === 18
    ? DECIMAL
    : new RegExp(`^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,${String(decimals)}}0{0,${String(18 - decimals)}})?$`);
/** Of texts in that format, those that are zero. */
export const ZERO = /^[0.]+$/;

/** Whether a text is an amount in the contract's format (section 2): no sign, no exponent, no leading zero. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/** Whether an amount is zero, however it is written. */
export function isZero(amount: string): boolean {
  return ZERO.test(amount);
}

/** How many decimals a decimal string has, not counting trailing zeros. */
export function decimalsOf(text: string): number {
  return withoutTrailing(text.split('.')[1] ?? '', '0').length;
}

/**
 * Reads a decimal string as base units of an asset with `decimals` decimals.
 * Returns null if the text is not an amount or has more significant decimals than the asset.
 */
export function parseAmount(text: string, decimals: number): bigint | null {
  if (!isDecimal(text) || decimalsOf(text) > decimals) return null;
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

/** Writes base units as the canonical decimal string: no trailing zeros, no exponent (`"25"`, `"0.5"`). */
export function formatAmount(units: bigint, decimals: number): string {
  if (units < 0n) return `-${formatAmount(-units, decimals)}`;
  if (units === 0n) return '0';
  const digits = units.toString();
  const point = digits.length - decimals;
  let end = digits.length;
  while (end > point && digits.charAt(end - 1) === '0') end -= 1;
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits.slice(0, end)}`;
  return end === point ? digits.slice(0, point) : `${digits.slice(0, point)}.${digits.slice(point, end)}`;
}

/** The gateway's fee on a confirmed deposit: 1 percent, rounded down to the asset's base unit (contract, section 5). */
export function feeOf(units: bigint): bigint {
  return units / 100n;
}

/** `amount × (1 − tolerance)`, with the tolerance in basis points; rounded up, so the tolerance is never exceeded. */
export function lessTolerance(units: bigint, toleranceBasisPoints: number): bigint {
  const kept = units * BigInt(10_000 - toleranceBasisPoints);
  return (kept + 9_999n) / 10_000n;
}
