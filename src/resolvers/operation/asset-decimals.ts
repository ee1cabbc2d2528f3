// Checks that an amount has no more decimals than its asset, reported together with the other faults of a request.

import { decimalsOf, isDecimal } from '../../values/amount.ts';
import { findAsset, parseNetwork } from '../../values/assets.ts';
import type { TogetherCheck } from './validation.ts';

/** For inputs with `amount`, `currency` and `network`. Faults of each field alone are reported elsewhere. */
export const decimalsOfAsset: TogetherCheck = ({ amount, currency, network }) => {
  if (typeof amount !== 'string' || typeof currency !== 'string' || typeof network !== 'string') return [];
  const code = parseNetwork(network);
  const asset = code && findAsset(currency, code);
  if (!asset || !isDecimal(amount) || decimalsOf(amount) <= asset.decimals) return [];
  return [{ path: 'amount', message: `${asset.currency} has at most ${asset.decimals} decimals here` }];
};
