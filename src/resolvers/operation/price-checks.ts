// Checks of prices and accepted assets, whose faults are reported together with the others of a request.

import { isDecimal, decimalsOf } from '../../values/amount.ts';
import { parseNetwork } from '../../values/assets.ts';
import * as checks from '../../values/checks.ts';
import { priceDecimals } from '../../values/prices/currencies.ts';
import type { TogetherCheck } from './validation.ts';

/** The most assets that an invoice, a link or the settings may name. */
export const MOST_ACCEPTED_ASSETS = 30;

/** How many assets are named: at least one, at most thirty. */
export const acceptedAssetCount = checks.listOf(1, MOST_ACCEPTED_ASSETS);

/** The fields of inputs that are prices in their `currency`. */
const PRICES = ['amount', 'minAmount', 'maxAmount'] as const;

/**
 * Checks the `currency` and the decimals of the prices of an input (contract-invoices, section 1). Skips fields that
 * are invalid by themselves: those have faults of their own.
 */
export const priceFaults: TogetherCheck = (fields) => {
  const { currency } = fields;
  if (typeof currency !== 'string' || currency.trim() === '') return [];
  const code = currency.toUpperCase();
  const decimals = priceDecimals(code);
  if (decimals === null)
    return [{ path: 'currency', message: 'is neither a currency in use nor a coin of this gateway' }];
  return PRICES.flatMap((path) => {
    const price = fields[path];
    if (typeof price !== 'string' || !isDecimal(price) || decimalsOf(price) <= decimals) return [];
    return [{ path, message: `${code} has at most ${decimals} decimals as a price` }];
  });
};

/**
 * Reports assets in `acceptedAssets` that an earlier one names already, whatever their case and alias; not in a list
 * that is too long anyway.
 */
export const assetsNamedTwice: TogetherCheck = ({ acceptedAssets }) => {
  if (!Array.isArray(acceptedAssets) || acceptedAssets.length > MOST_ACCEPTED_ASSETS) return [];
  const seen = new Set<string>();
  return acceptedAssets.flatMap((asset: unknown, index) => {
    const name = nameOf(asset);
    if (name === null) return [];
    if (seen.has(name)) return [{ path: `acceptedAssets.${index}`, message: 'is named twice' }];
    seen.add(name);
    return [];
  });
};

/** An asset's name with the canonical network; null if it is no asset at all, which has faults of its own. */
function nameOf(asset: unknown): string | null {
  if (asset === null || typeof asset !== 'object') return null;
  const { currency, network } = asset as Readonly<Record<string, unknown>>;
  if (typeof currency !== 'string' || typeof network !== 'string') return null;
  return `${currency.toUpperCase()} ${parseNetwork(network) ?? network.toUpperCase()}`;
}
