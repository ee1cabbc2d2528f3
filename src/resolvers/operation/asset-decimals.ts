// Reports an amount with too many decimals together with the other faults of a request, before any work.

import { decimalsFault, findNamedAsset, type AmountKind } from '../../domain/requested-amount.ts';
import { isDecimal } from '../../values/amount.ts';
import type { TogetherCheck } from './validation.ts';

/**
 * Checks an input with `amount`, `currency` and `network` (contract, section 2). Skips fields that are invalid by
 * themselves and unknown assets: those have faults and errors of their own.
 */
export function decimalsOfAsset(kind: AmountKind): TogetherCheck {
  return ({ amount, currency, network }) => {
    if (typeof amount !== 'string' || typeof currency !== 'string' || typeof network !== 'string') return [];
    const asset = findNamedAsset(currency, network);
    const message = asset && isDecimal(amount) ? decimalsFault(kind, asset, amount) : null;
    return message === null ? [] : [{ path: 'amount', message }];
  };
}
