// Whether an amount has more decimals than its asset: told with the other faults of a request, not after them.

import { decimalsOf, isDecimal } from '../../values/amount.ts';
import { findAsset, parseNetwork } from '../../values/assets.ts';
import type { TogetherCheck } from './validation.ts';

/** Of an input with `amount`, `currency` and `network`. What is wrong with each of them alone is no matter of its. */
export const decimalsOfAsset: TogetherCheck = ({ amount, currency, network }) => {
  if (typeof amount !== 'string' || typeof currency !== 'string' || typeof network !== 'string') return [];
  const code = parseNetwork(network);
  const asset = code && findAsset(currency, code);
  if (!asset || !isDecimal(amount) || decimalsOf(amount) <= asset.decimals) return [];
  return [{ path: 'amount', message: `${asset.currency} has at most ${asset.decimals} decimals here` }];
};
