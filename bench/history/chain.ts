// What the chain of `npm run bench -- history` holds: a rule for each address instead of a state, so that the database
// is filled by statements, and the node in a process of its own answers for ten million addresses without a list.

/** Base units of USDT in each deposit and each payout. */
export const AMOUNT = 25_000_000n;
/** The block up to which the history goes. */
export const HISTORY_HEIGHT = 1_000_000;
/** Each later block pays so many of the open orders. */
export const PAID_IN_BLOCK = 20;
/** The hot wallet. */
export const HOT_KEY = `0x${'f'.repeat(40)}`;
export const TOKEN = '0x00000000000000000000000000000000000c0ffe';

/** SQL: of payment number `g`, from 1 on, the key of its address. */
export const KEY = `'0x' || lpad(to_hex(g), 40, '0')`;
/** SQL: it was paid; its money was swept to the hot wallet; it is open. */
export const IS_PAID = 'g % 10 < 6';
export const IS_SWEPT = 'g % 25 = 5';
export const IS_OPEN = 'g % 50 = 7';

/** What the address with a key holds of USDT after a block, in base units, the hot wallet apart. */
export function unitsAt(key: string, height: number): bigint {
  const nth = Number(BigInt(key));
  if (nth % 50 === 7) return Math.floor(nth / 50) < PAID_IN_BLOCK * (height - HISTORY_HEIGHT) ? AMOUNT : 0n;
  return nth % 10 < 6 && nth % 25 !== 5 ? AMOUNT : 0n;
}

/** The hash of a block. */
export const hashAt = (height: number): string => `0x${height.toString(16).padStart(64, '0')}`;
