// Judges from a receipt what one of our mined transactions moved: the full amount, nothing, less because the token
// takes a fee, or an amount that cannot be determined.

import type { Move, Receipt } from './blocks.ts';

/** A payment as it was signed. Amount in base units; keys in canonical form. */
export interface SignedMove {
  readonly senderKey: string;
  readonly recipientKey: string;
  readonly currency: string;
  readonly amount: bigint;
}

export type Verdict = 'PAID' | 'MOVED_NOTHING' | 'FEE_TAKEN' | 'UNCLEAR';

/** `left` is what left the sender, `arrived` what the recipient received. Base units. */
export interface Judged {
  readonly verdict: Verdict;
  readonly left: bigint;
  readonly arrived: bigint;
}

const NOTHING = { left: 0n, arrived: 0n };

/**
 * Only a reverted transaction has certainly moved nothing: a token may move money without writing a log. A token takes
 * a fee if its logs show that another amount left the sender, that less arrived, or that the recipient passed a part on
 * at once, because a token transfer runs no other code than the token's.
 */
export function judgeReceipt(move: SignedMove, { succeeded, paid, moves }: Receipt, coin: string): Judged {
  const { senderKey, recipientKey, currency, amount } = move;
  if (!succeeded) return { verdict: 'MOVED_NOTHING', ...NOTHING };
  if (currency === coin) return { verdict: 'PAID', left: amount, arrived: amount };
  const sum = (matches: (one: Move) => boolean) =>
    (moves ?? []).filter((one) => one.currency === currency && matches(one)).reduce((all, one) => all + one.amount, 0n);
  const received = paid.filter((one) => one.addressKey === recipientKey && one.currency === currency);
  const arrived = moves
    ? sum(({ to }) => to === recipientKey) - sum(({ from }) => from === recipientKey)
    : received.reduce((all, one) => all + one.amount, 0n);
  const left = moves ? sum(({ from }) => from === senderKey) - sum(({ to }) => to === senderKey) : arrived && amount;
  const verdict = left === amount && arrived === amount ? 'PAID' : left > 0n || arrived > 0n ? 'FEE_TAKEN' : 'UNCLEAR';
  return { verdict, left, arrived };
}
