// What a mined transaction of ours moved, by its receipt: what it says, nothing, less because the token keeps a part,
// or what nobody can read.

import type { Move, Receipt } from './blocks.ts';

/** A transaction as it was signed. Amount in base units; keys in canonical form. */
export interface SignedMove {
  readonly senderKey: string;
  readonly recipientKey: string;
  readonly currency: string;
  readonly amount: bigint;
}

export type Verdict = 'PAID' | 'MOVED_NOTHING' | 'FEE_TAKEN' | 'UNCLEAR';

/** What it came to: what left the sender, and what of it the recipient has. Base units. */
export interface Judged {
  readonly verdict: Verdict;
  readonly left: bigint;
  readonly arrived: bigint;
}

const NOTHING = { left: 0n, arrived: 0n };

/**
 * Judges a receipt. Only what reverted has certainly moved nothing: a token that answers without a log may have moved
 * something all the same. A token takes a fee where its logs say that more or something else left the sender, that less
 * arrived, or that the recipient gave a part away at once: no code runs in a transfer of a token but the token's.
 */
export function judgeReceipt(move: SignedMove, { succeeded, paid, moves }: Receipt, coin: string): Judged {
  const { senderKey, recipientKey, currency, amount } = move;
  if (!succeeded) return { verdict: 'MOVED_NOTHING', ...NOTHING };
  if (currency === coin) return { verdict: 'PAID', left: amount, arrived: amount };
  const sum = (belongs: (one: Move) => boolean) =>
    (moves ?? []).filter((one) => one.currency === currency && belongs(one)).reduce((all, one) => all + one.amount, 0n);
  const balance = paid.filter((one) => one.addressKey === recipientKey && one.currency === currency);
  const arrived = moves
    ? sum(({ to }) => to === recipientKey) - sum(({ from }) => from === recipientKey)
    : balance.reduce((all, one) => all + one.amount, 0n);
  const left = moves ? sum(({ from }) => from === senderKey) - sum(({ to }) => to === senderKey) : arrived && amount;
  const verdict = left === amount && arrived === amount ? 'PAID' : left > 0n || arrived > 0n ? 'FEE_TAKEN' : 'UNCLEAR';
  return { verdict, left, arrived };
}
