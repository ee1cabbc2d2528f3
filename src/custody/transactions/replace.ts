// Replaces stuck account transactions: signs them again with higher fees, re-estimates those that nodes refused, and as
// a last resort uses up the nonce with a transfer to the sender, so that those behind it can go on.

import { TransactionRefused } from '../../chain/errors.ts';
import { type Fees, maxCostOf } from '../../chain/transactions.ts';
import { countOfNonce, holdsUpOthers, type TransactionRow } from '../../database/queries/payouts/transactions.ts';
import type { AccountContext as Context } from '../context.ts';
import type { HeldReason } from '../../values/held-reasons.ts';
import { isAffordable, servedBy } from '../payout-cost.ts';
import {
  freeNonce,
  replacementExpense,
  signReplacement,
  surchargeOf,
  type ReplacementQuote,
} from './sign-replacement.ts';

/** Number of refused transactions tried with one nonce before it is freed. */
const MAX_ATTEMPTS_PER_NONCE = 3;
/** Delay before a refused transaction is replaced; doubles with each attempt. */
const REFUSED_AFTER_MS = { first: 5_000, most: 5 * 60_000 };
/** Delay before a payout whose nonce was freed is signed again; quadruples with each transaction it has had. */
const SIGN_AGAIN_AFTER_MS = { first: 10_000, most: 60 * 60_000 };

/** Signs a replacement for a stuck transaction if its nonce is the sender's next. Returns true if it signed one. */
export async function replace(ctx: Context, row: TransactionRow): Promise<boolean> {
  const { adapter } = ctx.chain;
  if (!adapter.replaceable || row.refusal === 'NONCE') return false;
  if (row.refusal !== null && !(await isRetryDue(ctx, row))) return false;
  if ((await adapter.nonces([row.senderKey])).get(row.senderKey) !== row.nonce) return false;
  if (row.refusal !== null) return replaceRefused(ctx, row);
  const { gas, maxPerGas, tipPerGas } = row;
  const fees = await adapter.fees({ maxPerGas, tipPerGas });
  const replacement = { gas, fees, surcharge: surchargeOf(row) };
  if (!(await isAffordable(ctx, replacementExpense(row, replacement)))) return unblockNonce(ctx, row, replacement, 0);
  // Only the operator fills the gas wallet, and other transactions may need less of it.
  const isShort = row.purpose === 'GAS' && !isFiller(row) && !(await canPay(ctx, row, replacement));
  return (
    (isShort && (await tryFreeNonce(ctx, row, { reason: 'MISSING_GAS', fees }))) ||
    signReplacement(ctx, row, replacement)
  );
}

/**
 * Handles a transaction whose replacement would exceed its payout's cost limit. If others wait behind it, its nonce is
 * used up by whichever costs less, the transaction itself or one to its own sender, whatever the limit: waiting for
 * lower prices would let one payout delay all others. If none wait, the nonce is freed within the limit, or the
 * transaction waits.
 */
async function unblockNonce(
  ctx: Context,
  row: TransactionRow,
  replacement: ReplacementQuote,
  againAfterMs: number,
): Promise<boolean> {
  const blocksOthers = isShared(ctx, row) && (await holdsUpOthers(ctx.deps.db.em, ctx.chain.adapter.network, row));
  const quoted = await requote(ctx, fillerOf(ctx, row));
  const filler = typeof quoted === 'string' ? null : { ...quoted, fees: replacement.fees };
  const savesNothing = filler === null || maxCostOf(filler) >= maxCostOf(replacement);
  if (filler === null || (savesNothing && (await canPay(ctx, row, replacement))))
    return blocksOthers && signReplacement(ctx, row, replacement, { unbounded: true });
  if (!blocksOthers && !(await isAffordable(ctx, replacementExpense(row, filler)))) return false;
  return freeNonce(ctx, row, filler, {
    reason: 'TOO_EXPENSIVE',
    againAfterMs: Math.max(againAfterMs, SIGN_AGAIN_AFTER_MS.first),
  });
}

async function isRetryDue(ctx: Context, row: TransactionRow): Promise<boolean> {
  if (msSinceRefusal(ctx, row) < REFUSED_AFTER_MS.first) return false;
  const tried = await countOfNonce(ctx.deps.db.em, ctx.chain.adapter.network, row);
  return msSinceRefusal(ctx, row) >= backoff(REFUSED_AFTER_MS, 2, tried - 1);
}

/** Time since the transaction was refused. */
const msSinceRefusal = ({ deps }: Context, { refusedAt }: TransactionRow): number =>
  deps.clock.now().getTime() - (refusedAt?.getTime() ?? Infinity);

const backoff = ({ first, most }: { first: number; most: number }, factor: number, attempts: number): number =>
  Math.min(most, first * factor ** Math.min(attempts, 20));

/** Why a nonce is freed, by the result of a new estimate. */
const REASONS = {
  TRIED: 'NOT_ACCEPTED',
  REVERTED: 'RECIPIENT_REFUSES',
  SENDER: 'NOT_ACCEPTED',
  FUNDS: 'MISSING_FUNDS',
} as const satisfies Record<string, HeldReason>;

/**
 * Replaces a refused transaction, by a new estimate of gas and price. If the estimate is refused, or enough attempts
 * were made, its nonce is freed; if money is missing or the cost exceeds the limit, only after the longest delay.
 */
async function replaceRefused(ctx: Context, row: TransactionRow): Promise<boolean> {
  const tried = await countOfNonce(ctx.deps.db.em, ctx.chain.adapter.network, row);
  const replacement = tried >= MAX_ATTEMPTS_PER_NONCE ? 'TRIED' : await requote(ctx, row);
  const againAfterMs = backoff(SIGN_AGAIN_AFTER_MS, 4, tried - 1);
  const hasWaitedLong = msSinceRefusal(ctx, row) >= REFUSED_AFTER_MS.most;
  if (replacement === 'WAIT') return false;
  if (typeof replacement === 'string')
    return (
      (replacement !== 'FUNDS' || hasWaitedLong) &&
      tryFreeNonce(ctx, row, { reason: REASONS[replacement], againAfterMs })
    );
  if (await isAffordable(ctx, replacementExpense(row, replacement))) return signReplacement(ctx, row, replacement);
  return hasWaitedLong && unblockNonce(ctx, row, replacement, againAfterMs);
}

interface Freeing {
  readonly reason: HeldReason;
  readonly againAfterMs?: number;
  /** The fees to offer, if known already. */
  readonly fees?: Fees;
}

/**
 * Frees the nonce of a transaction that cannot be carried out; false if its sender cannot pay for that. A deposit
 * address holds up no other payouts, so there the cost stays within the limit of the payout.
 */
async function tryFreeNonce(
  ctx: Context,
  row: TransactionRow,
  { reason, againAfterMs, fees }: Freeing,
): Promise<boolean> {
  const asked = fillerOf(ctx, row);
  const quoted = await requote(ctx, asked);
  if (typeof quoted === 'string') return false;
  const filler = fees ? { ...quoted, fees } : quoted;
  if (!(await canPay(ctx, asked, filler))) return false;
  if (
    !isShared(ctx, row) &&
    !(await isAffordable(ctx, { ...replacementExpense(row, filler), payoutId: servedBy(row) }))
  )
    return false;
  return freeNonce(ctx, row, filler, { reason, againAfterMs: againAfterMs ?? SIGN_AGAIN_AFTER_MS.first });
}

/** The transfer that only uses up the nonce. */
const fillerOf = ({ coin }: Context, row: TransactionRow): TransactionRow => ({
  ...row,
  recipientKey: row.senderKey,
  currency: coin.currency,
  amount: 1n,
});

const isFiller = ({ senderKey, recipientKey }: TransactionRow): boolean => senderKey === recipientKey;

/** Whether a sender sends for many payouts, so that one waits for another. */
const isShared = ({ wallets: { hot, gas } }: Context, { senderKey }: TransactionRow): boolean =>
  senderKey === hot.key || senderKey === gas.key;

/** Whether the sender holds the coin that the transaction costs and moves. */
async function canPay({ chain, coin }: Context, row: TransactionRow, replacement: ReplacementQuote): Promise<boolean> {
  const { senderKey, currency, amount } = row;
  const held = (await chain.adapter.balances([senderKey], coin.currency)).get(senderKey) ?? 0n;
  return held >= maxCostOf(replacement) + (currency === coin.currency ? amount : 0n);
}

/**
 * What a transfer costs now, or why it would fail: because of the transfer itself, because of its sender, or for lack
 * of money.
 */
async function requote(
  ctx: Context,
  row: TransactionRow,
): Promise<ReplacementQuote | 'REVERTED' | 'SENDER' | 'FUNDS' | 'WAIT'> {
  const { chain, coin, wallets } = ctx;
  const { senderKey: from, recipientKey: to, currency, purpose } = row;
  // A sweep of the coin moves the whole balance; its cost does not depend on the amount.
  const amount = purpose === 'SWEEP' && currency === coin.currency ? 1n : row.amount;
  const request = { from, to, currency, amount };
  try {
    const { gas, fees, surcharge } = await chain.adapter.quote(request, { ...request, to: wallets.gas.address });
    return { gas, fees: await outbid(ctx, row, fees), surcharge };
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error;
    const { reason } = error;
    return reason === 'REVERTED' || reason === 'SENDER' || reason === 'FUNDS' ? reason : 'WAIT';
  }
}

/**
 * Fees above those of the refused transaction: enough to replace a waiting one if the price was refused, otherwise the
 * smallest increase.
 */
async function outbid({ chain }: Context, { refusal, maxPerGas, tipPerGas }: TransactionRow, now: Fees): Promise<Fees> {
  if (refusal === 'FEES') return chain.adapter.fees({ maxPerGas, tipPerGas });
  return { ...now, maxPerGas: now.maxPerGas > maxPerGas ? now.maxPerGas : maxPerGas + 1n };
}
