// What becomes of a transaction that no block takes, where nonces order them: it is signed again at a higher offer; one
// that the nodes refuse is estimated anew, and when nothing helps its nonce is freed for those behind it.

import { TransactionRefused } from '../../chain/errors.ts';
import { type Fees, maxCostOf } from '../../chain/transactions.ts';
import { countOfNonce, holdsUpOthers, type TransferRow } from '../../database/queries/payouts/transactions.ts';
import type { AccountContext as Context } from '../context.ts';
import type { HeldReason } from '../../values/held-reasons.ts';
import { agreed, readFinalHeight } from './finality.ts';
import { isAffordable, servedBy } from '../payout-cost.ts';
import { freeNonce, insteadOf, signReplacement, surchargeOf, type Rival } from './sign-again.ts';

/** So many transactions with one nonce are tried, and refused, before it is freed. */
const TRIED_AT_MOST = 3;
/** A refused transaction is replaced after so long, and the next one after twice that. */
const REFUSED_AFTER_MS = { first: 5_000, most: 5 * 60_000 };
/** A payout whose nonce was freed is signed again after so long, four times as long for each transaction it had. */
const SIGN_AGAIN_AFTER_MS = { first: 10_000, most: 60 * 60_000 };

/**
 * Whether a transaction can be in no block any more. Where transactions are tied to a moment, that is over; where they
 * have nonces, another has taken this one's, in a final block. By the word of two nodes where there are two.
 */
export async function isDead({ chain }: Context, row: TransferRow): Promise<boolean> {
  const { adapter, requiredConfirmations } = chain;
  const { txHash, validUntil, raw, senderKey, nonce } = row;
  if (validUntil !== null) {
    const transfer = { txHash, validUntil, raw };
    if (!(await adapter.hasExpired(transfer))) return false;
    return agreed(adapter, (node) => (node.model === 'ACCOUNT' ? node.hasExpired(transfer) : Promise.resolve(false)));
  }
  if (row.refusal !== 'NONCE') return false;
  const spends = `${senderKey}:${String(nonce)}`;
  return agreed(adapter, async (node) => {
    const final = await readFinalHeight(node, requiredConfirmations);
    return final >= 0 && (await node.conflictAt({ txHash, spends }, final)) !== null;
  });
}

/** Signs another in the place of one that no block takes, if it is its sender's turn; says whether it did. */
export async function replace(ctx: Context, row: TransferRow): Promise<boolean> {
  const { adapter } = ctx.chain;
  if (!adapter.replaceable || row.refusal === 'NONCE') return false;
  if (row.refusal !== null && !(await isTime(ctx, row))) return false;
  if ((await adapter.nonces([row.senderKey])).get(row.senderKey) !== row.nonce) return false;
  if (row.refusal !== null) return replaceRefused(ctx, row);
  const { gas, maxPerGas, tipPerGas } = row;
  const fees = await adapter.fees({ maxPerGas, tipPerGas });
  const rival = { gas, fees, surcharge: surchargeOf(row) };
  if (!(await isAffordable(ctx, insteadOf(row, rival)))) return letOthersPass(ctx, row, rival, 0);
  // Nobody fills the gas wallet but the operator, and others need less of it.
  const isShort = row.purpose === 'GAS' && !isFiller(row) && !(await canPay(ctx, row, rival));
  return (isShort && (await free(ctx, row, { reason: 'MISSING_GAS', fees }))) || signReplacement(ctx, row, rival);
}

/**
 * Of a transaction whose replacement exceeds what its payout may cost. Where others wait behind it, its nonce is used
 * up by whatever takes the chain less, itself or one to its own sender, and no bound stands against that: waiting for
 * its price would have one payout delay all others. Where nobody does, its nonce is freed within the bound, or it
 * waits.
 */
async function letOthersPass(ctx: Context, row: TransferRow, rival: Rival, againAfterMs: number): Promise<boolean> {
  const isInTheWay = isShared(ctx, row) && (await holdsUpOthers(ctx.deps.db.em, ctx.chain.adapter.network, row));
  const quoted = await requote(ctx, fillerOf(ctx, row));
  const filler = typeof quoted === 'string' ? null : { ...quoted, fees: rival.fees };
  const savesNothing = filler === null || maxCostOf(filler) >= maxCostOf(rival);
  if (filler === null || (savesNothing && (await canPay(ctx, row, rival))))
    return isInTheWay && signReplacement(ctx, row, rival, { unbounded: true });
  if (!isInTheWay && !(await isAffordable(ctx, insteadOf(row, filler)))) return false;
  return freeNonce(ctx, row, filler, {
    reason: 'TOO_EXPENSIVE',
    againAfterMs: Math.max(againAfterMs, SIGN_AGAIN_AFTER_MS.first),
  });
}

async function isTime(ctx: Context, row: TransferRow): Promise<boolean> {
  if (waitedMs(ctx, row) < REFUSED_AFTER_MS.first) return false;
  const tried = await countOfNonce(ctx.deps.db.em, ctx.chain.adapter.network, row);
  return waitedMs(ctx, row) >= doubled(REFUSED_AFTER_MS, 2, tried - 1);
}

/** Since it was refused. */
const waitedMs = ({ deps }: Context, { refusedAt }: TransferRow): number =>
  deps.clock.now().getTime() - (refusedAt?.getTime() ?? Infinity);

const doubled = ({ first, most }: { first: number; most: number }, by: number, times: number): number =>
  Math.min(most, first * by ** Math.min(times, 20));

/** Why a nonce is freed, by what a new estimate came to. */
const REASONS = {
  TRIED: 'NOT_ACCEPTED',
  REVERTED: 'RECIPIENT_REFUSES',
  SENDER: 'NOT_ACCEPTED',
  FUNDS: 'MISSING_FUNDS',
} as const satisfies Record<string, HeldReason>;

/**
 * By a new estimate of gas and price. Where that is refused itself, or was tried often enough, the nonce is freed;
 * where the money is missing or it costs more than is allowed, once it has done so for as long as anything is waited
 * for.
 */
async function replaceRefused(ctx: Context, row: TransferRow): Promise<boolean> {
  const tried = await countOfNonce(ctx.deps.db.em, ctx.chain.adapter.network, row);
  const rival = tried >= TRIED_AT_MOST ? 'TRIED' : await requote(ctx, row);
  const againAfterMs = doubled(SIGN_AGAIN_AFTER_MS, 4, tried - 1);
  const isPatient = waitedMs(ctx, row) >= REFUSED_AFTER_MS.most;
  if (rival === 'WAIT') return false;
  if (typeof rival === 'string')
    return (rival !== 'FUNDS' || isPatient) && free(ctx, row, { reason: REASONS[rival], againAfterMs });
  if (await isAffordable(ctx, insteadOf(row, rival))) return signReplacement(ctx, row, rival);
  return isPatient && letOthersPass(ctx, row, rival, againAfterMs);
}

interface Freeing {
  readonly reason: HeldReason;
  readonly againAfterMs?: number;
  /** What to offer, where it is known. */
  readonly fees?: Fees;
}

/**
 * Frees the nonce of a transaction that cannot be carried out; false where its sender cannot pay for that. A deposit
 * address has nobody else waiting, so what frees its nonce stays within the bound of the payout.
 */
async function free(ctx: Context, row: TransferRow, { reason, againAfterMs, fees }: Freeing): Promise<boolean> {
  const asked = fillerOf(ctx, row);
  const quoted = await requote(ctx, asked);
  if (typeof quoted === 'string') return false;
  const filler = fees ? { ...quoted, fees } : quoted;
  if (!(await canPay(ctx, asked, filler))) return false;
  if (!isShared(ctx, row) && !(await isAffordable(ctx, { ...insteadOf(row, filler), payoutId: servedBy(row) })))
    return false;
  return freeNonce(ctx, row, filler, { reason, againAfterMs: againAfterMs ?? SIGN_AGAIN_AFTER_MS.first });
}

/** The transfer that only uses up a nonce. */
const fillerOf = ({ coin }: Context, row: TransferRow): TransferRow => ({
  ...row,
  recipientKey: row.senderKey,
  currency: coin.currency,
  amount: 1n,
});

const isFiller = ({ senderKey, recipientKey }: TransferRow): boolean => senderKey === recipientKey;

/** Whether the transactions of many payouts come from a sender, so that one waits for another. */
const isShared = ({ wallets: { hot, gas } }: Context, { senderKey }: TransferRow): boolean =>
  senderKey === hot.key || senderKey === gas.key;

/** Whether a transaction's sender holds the coin that it takes, and moves. */
async function canPay({ chain, coin }: Context, row: TransferRow, rival: Rival): Promise<boolean> {
  const { senderKey, currency, amount } = row;
  const held = (await chain.adapter.balances([senderKey], coin.currency)).get(senderKey) ?? 0n;
  return held >= maxCostOf(rival) + (currency === coin.currency ? amount : 0n);
}

/** What a transfer takes now, or why it would fail: by itself, to any recipient, or for want of money. */
async function requote(ctx: Context, row: TransferRow): Promise<Rival | 'REVERTED' | 'SENDER' | 'FUNDS' | 'WAIT'> {
  const { chain, coin, wallets } = ctx;
  const { senderKey: from, recipientKey: to, currency, purpose } = row;
  // A sweep of the coin takes all there is; what it costs does not depend on how much that is.
  const amount = purpose === 'SWEEP' && currency === coin.currency ? 1n : row.amount;
  const request = { from, to, currency, amount };
  try {
    const { gas, fees, surcharge } = await chain.adapter.quote(request, { ...request, to: wallets.gas.address });
    return { gas, fees: await aboveThose(ctx, row, fees), surcharge };
  } catch (error) {
    if (!(error instanceof TransactionRefused)) throw error;
    const { reason } = error;
    return reason === 'REVERTED' || reason === 'SENDER' || reason === 'FUNDS' ? reason : 'WAIT';
  }
}

/**
 * More than the refused one offers: as much as replaces a waiting one where the price was what was refused, else as
 * little as can be.
 */
async function aboveThose(
  { chain }: Context,
  { refusal, maxPerGas, tipPerGas }: TransferRow,
  now: Fees,
): Promise<Fees> {
  if (refusal === 'FEES') return chain.adapter.fees({ maxPerGas, tipPerGas });
  return { ...now, maxPerGas: now.maxPerGas > maxPerGas ? now.maxPerGas : maxPerGas + 1n };
}
