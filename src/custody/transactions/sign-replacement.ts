// Signs a transaction to replace another that no block has, with the same nonce, so that only one of the two is ever
// carried out. It never asks the node.

import { maxCostOf, type Quote } from '../../chain/transactions.ts';
import { readSender } from '../../database/queries/payouts/nonces.ts';
import { findNewestOfNonce, type TransactionRow } from '../../database/queries/payouts/transactions.ts';
import type { EntityManager } from '../../database/connection.ts';
import { inTransaction } from '../../domain/deps.ts';
import { hold } from '../../domain/payouts/signing-gate.ts';
import type { HeldReason } from '../../values/held-reasons.ts';
import type { AccountContext as Context } from '../context.ts';
import { mayCost, servedBy, type Expense } from '../payout-cost.ts';
import { signAndStore } from './sign.ts';
import type { Wallet } from '../keys/wallets.ts';

/** Gas and fees of a replacement, at a higher price than that of the replaced transaction. */
export type ReplacementQuote = Omit<Quote, 'anchor'>;

/**
 * Signs the same transfer again with the same nonce and a higher offer. Both rows stay, and whichever is mined counts.
 * With `unbounded`, to make way for others, the cost counts towards its payout but is not limited by the bound.
 */
export async function signReplacement(
  ctx: Context,
  stuck: TransactionRow,
  replacement: ReplacementQuote,
  { unbounded = false } = {},
): Promise<boolean> {
  return inTransaction(ctx.deps, async (em) => {
    if (!(await isToBeReplaced(ctx, em, stuck))) return false;
    const { senderKey, senderPath: path, currency, purpose } = stuck;
    // A sweep of the coin moves the whole balance, so what it pays more for gas it moves less.
    const increase = maxCostOf(replacement) - stuck.maxCost;
    const amount = purpose === 'SWEEP' && currency === ctx.coin.currency ? stuck.amount - increase : stuck.amount;
    if (amount <= 0n) return false;
    if (!unbounded && !(await mayCost(ctx, em, replacementExpense(stuck, replacement)))) return false;
    const { payoutId, forPayoutId, recipientKey: to, nonce } = stuck;
    const quote = { ...replacement, anchor: null };
    const purse = { wallet: { key: senderKey, path } };
    await signAndStore(ctx, em, { purpose, payoutId, forPayoutId, purse, to, amount, quote, currency, nonce });
    return true;
  });
}

/** The cost of a replacement. One that only frees a nonce has no bound. */
export function replacementExpense(
  { senderKey, nonce, ...stuck }: TransactionRow,
  replacement: ReplacementQuote,
): Expense {
  const payoutId = stuck.recipientKey === senderKey ? null : servedBy(stuck);
  return { payoutId, cost: maxCostOf(replacement), place: { senderKey, nonce } };
}

interface Substitute {
  /** The payout that it is signed for now, and whose cost it counts towards. */
  readonly forPayoutId: string | null;
  readonly wallet: Pick<Wallet, 'key' | 'path'>;
  readonly to: string;
  readonly currency: string;
  readonly amount: bigint;
  /** At a higher offer than the replaced transaction. */
  readonly quote: Quote;
}

/** Signs a sweep to replace one that cannot be carried out, with the same nonce. Whichever is mined counts. */
export async function signSweepReplacement(
  ctx: Context,
  stuck: TransactionRow,
  substitute: Substitute,
): Promise<boolean> {
  return inTransaction(ctx.deps, async (em) => {
    if (!(await isToBeReplaced(ctx, em, stuck))) return false;
    const { wallet, forPayoutId, ...signing } = substitute;
    if (!(await mayCost(ctx, em, replacementExpense({ ...stuck, forPayoutId }, substitute.quote)))) return false;
    const order = { purpose: 'SWEEP', payoutId: null, forPayoutId, purse: { wallet } } as const;
    await signAndStore(ctx, em, { ...order, nonce: stuck.nonce, ...signing });
    return true;
  });
}

/**
 * Frees the nonce of a transaction that no node takes, with one to its own sender. The payout is due again once that
 * one is final, and is held until `againAfterMs` have passed.
 */
export async function freeNonce(
  ctx: Context,
  refused: TransactionRow,
  replacement: ReplacementQuote,
  { reason, againAfterMs }: { reason: HeldReason; againAfterMs: number },
): Promise<boolean> {
  return inTransaction(ctx.deps, async (em) => {
    if (!(await isToBeReplaced(ctx, em, refused))) return false;
    await signFiller(ctx, em, refused, replacement);
    if (refused.payoutId !== null) await hold(ctx.deps, em, refused.payoutId, reason, againAfterMs);
    return true;
  });
}

/** Locks the sender and checks that a transaction is still open and the newest of its nonce. */
async function isToBeReplaced(ctx: Context, em: EntityManager, row: TransactionRow): Promise<boolean> {
  const { network } = ctx.chain.adapter;
  await readSender(em, network, row.senderKey, true);
  if (!(await ctx.comparison.maySign(em))) return false;
  const newest = await findNewestOfNonce(em, network, row);
  return newest?.id === row.id && newest.status === row.status;
}

/** What a transaction may cost in addition to its gas. */
export const surchargeOf = ({ maxCost, gas, maxPerGas }: TransactionRow): bigint => maxCost - gas * maxPerGas;

/**
 * Uses up the nonce of a transaction that must not be carried out any more: sends the least amount of the coin to its
 * own sender at a higher offer, so that this one is sent from now on. Its cost counts towards the payout but is not
 * bounded, because it ends further costs.
 */
export async function signFiller(
  ctx: Context,
  em: EntityManager,
  unwanted: TransactionRow,
  replacement: ReplacementQuote = raised(unwanted),
): Promise<void> {
  const { senderKey, senderPath: path, nonce } = unwanted;
  const purse = { wallet: { key: senderKey, path } };
  const currency = ctx.coin.currency;
  const quote = { ...replacement, anchor: null };
  const order = { purpose: 'GAS', payoutId: null, forPayoutId: servedBy(unwanted), purse, to: senderKey } as const;
  await signAndStore(ctx, em, { ...order, amount: 1n, quote, currency, nonce });
}

/** An eighth more than a transaction offers, for the same gas. */
function raised(row: TransactionRow): ReplacementQuote {
  const more = (units: bigint) => units + units / 8n + 1n;
  const { gas, maxPerGas, tipPerGas } = row;
  const fees = { maxPerGas: more(maxPerGas), tipPerGas: tipPerGas === null ? null : more(tipPerGas) };
  return { gas, fees, surcharge: surchargeOf(row) };
}
