// What a feed says of a code: its price in US dollars, and when it was so.

import { isCoinCode, isFiat } from '../prices/currencies.ts';

export interface Tick {
  /** A coin's or a currency's code, in upper case; never USD. */
  readonly code: string;
  /** What one unit costs, in 10⁻¹⁸ US dollars; above zero. */
  readonly usd: bigint;
  /** The source's own time, or when it arrived. */
  readonly at: Date;
}

/**
 * Reads the body of a feed's answer. Prices that are no positive decimals, and codes that nothing here is priced in,
 * are left out. Throws if the body is not of the feed's form.
 */
export type ReadTicks = (body: string, arrivedAt: Date) => Tick[];

/** Whether a feed's price of the code is of use here; the dollar itself is what the others are measured in. */
export const isPriced = (code: string): boolean => code !== 'USD' && (isCoinCode(code) || isFiat(code));

/** A tick of a price that may be missing. */
export const tickOf = (code: string, usd: bigint | null, at: Date): Tick[] => (usd === null ? [] : [{ code, usd, at }]);
