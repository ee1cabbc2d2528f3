// The arithmetic of prices, exact: every rounding is one that the contract names (contract-invoices, section 1).

import type { Asset } from '../assets.ts';

/** A rate is the price of one unit of an asset, in units of 10⁻¹² of the price's currency. */
export const RATE_DECIMALS = 12;
/** What one unit of a currency costs in US dollars, in units of 10⁻¹⁸. */
export const USD_DECIMALS = 18;
/** A value in the price's currency, in units of 10⁻³⁰: an amount of up to 18 decimals times a rate is exact. */
export const VALUE_DECIMALS = 30;
/** A payer is never asked for more decimals of a coin than this: wallets show no more. */
const QUOTED_DECIMALS = 8;
const BASIS_POINTS = 10_000n;

const power = (exponent: number): bigint => 10n ** BigInt(exponent);
const dividedUp = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;
const dividedHalfUp = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);

/** Reads a stored rate, a decimal string of any length before the point, in 10⁻¹². */
export const readRate = (text: string): bigint => readFixed(text, RATE_DECIMALS);

/** Reads a stored price in US dollars in the same way, in 10⁻¹⁸. */
export const readUsd = (text: string): bigint => readFixed(text, USD_DECIMALS);

function readFixed(text: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

/** The columns of rates and of prices in US dollars take 36 digits, decimals included. */
const TOO_LARGE = 10n ** 36n;

/** Whether a rate is above zero and fits its column; else there is none. */
export const fitsRate = (rate: bigint): boolean => rate > 0n && rate < TOO_LARGE;

/** The same of a price in US dollars. */
export const fitsUsd = fitsRate;

/** The market rate of an asset in a currency from their prices in US dollars; half up. */
export function marketRate(usdOfAsset: bigint, usdOfCurrency: bigint): bigint {
  return dividedHalfUp(usdOfAsset * power(RATE_DECIMALS), usdOfCurrency);
}

/** The market rate less the merchant's spread, in basis points; down. A negative spread makes it higher. */
export function quotedRate(market: bigint, spread: number): bigint {
  return (market * (BASIS_POINTS - BigInt(spread))) / BASIS_POINTS;
}

/** The value of an amount of an asset, in base units, at a rate; exact. */
export function valueAt(rate: bigint, units: bigint, { decimals }: Pick<Asset, 'decimals'>): bigint {
  return units * rate * power(VALUE_DECIMALS - RATE_DECIMALS - decimals);
}

/** The amount of an asset, in base units, that is worth at least `value` at a rate: up, to at most eight decimals. */
export function coinAmount(value: bigint, rate: bigint, { decimals }: Pick<Asset, 'decimals'>): bigint {
  const quoted = Math.min(decimals, QUOTED_DECIMALS);
  return dividedUp(value, rate * power(VALUE_DECIMALS - RATE_DECIMALS - quoted)) * power(decimals - quoted);
}

/** The least amount by which a quote of this asset can differ from another, in base units. */
export function quoteStep({ decimals }: Pick<Asset, 'decimals'>): bigint {
  return power(decimals - Math.min(decimals, QUOTED_DECIMALS));
}

/** A price in minor units of its currency as a value; exact. */
export function priceAsValue(minorUnits: bigint, decimals: number): bigint {
  return minorUnits * power(VALUE_DECIMALS - decimals);
}

/** A value in minor units of its currency, as received, confirmed and refunded amounts are shown: down. */
export function shownDown(value: bigint, decimals: number): bigint {
  return value / power(VALUE_DECIMALS - decimals);
}

/** The same, as what is due is shown: up. */
export function shownUp(value: bigint, decimals: number): bigint {
  return dividedUp(value, power(VALUE_DECIMALS - decimals));
}

/** The same, as accounting values are: half up. */
export function shownHalfUp(value: bigint, decimals: number): bigint {
  return dividedHalfUp(value, power(VALUE_DECIMALS - decimals));
}
