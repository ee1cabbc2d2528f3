// Arithmetic on decimal strings, whatever their decimals.

import { withoutTrailing } from './text.ts';

/** One amount less another; "0" if nothing is left. Both are plain decimals without a sign. */
export function amountLess(amount: string, paid: string): string {
  const decimals = Math.max(decimalsOf(amount), decimalsOf(paid));
  const left = unitsOf(amount, decimals) - unitsOf(paid, decimals);
  if (left <= 0n) return '0';
  const digits = String(left).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const rest = withoutTrailing(digits.slice(digits.length - decimals), '0');
  return rest === '' ? whole : `${whole}.${rest}`;
}

/** How many whole percent of an amount another one is, rounded down; 0 of nothing. */
export function percentOf(part: string, amount: string): number {
  const decimals = Math.max(decimalsOf(part), decimalsOf(amount));
  const whole = unitsOf(amount, decimals);
  return whole === 0n ? 0 : Number((unitsOf(part, decimals) * 100n) / whole);
}

const decimalsOf = (amount: string): number => amount.split('.')[1]?.length ?? 0;

function unitsOf(amount: string, decimals: number): bigint {
  const [whole = '0', part = ''] = amount.split('.');
  return BigInt(whole + part.padEnd(decimals, '0'));
}
