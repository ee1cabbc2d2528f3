// The rate that a posting is valued at where its order has none: the last one of the gateway, if it is recent.

import type { LastRate } from '../../database/queries/ledger/post-ledger.ts';
import { formatAmount } from '../../values/amount.ts';
import { RATE_DECIMALS } from '../../values/prices/price.ts';
import type { Rates } from './rates.ts';

/** How old it may be. */
const RECENT_MS = 600_000;

/** The market's rates of this process, from memory, without spread and fixed rates; none without rates. */
export function lastRatesOf(rates: Pick<Rates, 'quote'> | undefined): LastRate {
  return (merchant, code, fiat, at) => {
    const quoted = rates?.quote({ ...merchant, spread: 0, fixedRates: [] }, code, fiat);
    if (quoted?.market == null || at.getTime() - quoted.at.getTime() > RECENT_MS) return null;
    return formatAmount(quoted.market, RATE_DECIMALS);
  };
}
