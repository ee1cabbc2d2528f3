// Signs a transaction in the place of another that no block has, with the same nonce: of the two only one is ever carried
// out. Nothing here asks the node.

import { maxCostOf, type Quote } from '../../chain/transactions.ts';
import { readSender } from '../../database/queries/payouts/nonces.ts';
import { findNewestOfNonce, type TransferRow } from '../../database/queries/payouts/transactions.ts';
import type { EntityManager } from '../../database/connection.ts';
import { inTransaction } from '../../domain/deps.ts';
import { hold } from '../../domain/payouts/signing-gate.ts';
import type { HeldReason } from '../../values/held-reasons.ts';
import type { AccountContext as Context } from '../context.ts';
import { mayCost, servedBy, type Expense } from '../payout-cost.ts';
import { signAndStore } from './sign.ts';
import type { Wallet } from '../keys/wallets.ts';

/** A transfer that is sent in the place of another: what it takes, at a higher price than that one offers. */
export type Rival = Omit<Quote, 'anchor'>;

/**
 * Signs a transfer anew with the same nonce and a higher offer; both rows stay, and whichever is mined counts. What makes
 * way for others is `unbounded`: it counts against its payout, and no bound stands against it.
 */
export async function signReplacement(
  ctx: Context,
  stuck: TransferRow,
  rival: Rival,
  { unbounded = false } = {},
): Promise<boolean> {
  return inTransaction(ctx.deps, async (em) => {
    if (!(await isToBeReplaced(ctx, em, stuck))) return false;
    const { senderKey, senderPath: path, currency, purpose } = stuck;
    // A sweep of the coin takes all there is, so what it pays more for gas it moves less.
    const dearer = maxCostOf(rival) - stuck.maxCost;
    const amount = purpose === 'SWEEP' && currency === ctx.coin.currency ? stuck.amount - dearer : stuck.amount;
    if (amount <= 0n) return false;
    if (!unbounded && !(await mayCost(ctx, em, insteadOf(stuck, rival)))) return false;
    const { payoutId, forPayoutId, recipientKey: to, nonce } = stuck;
    const quote = { ...rival, anchor: null };
    const purse = { wallet: { key: senderKey, path } };
    await signAndStore(ctx, em, { purpose, payoutId, forPayoutId, purse, to, amount, quote, currency, nonce });
    return true;
  });
}

/** What a transaction costs that is signed in the place of another; no bound stands against what only frees a nonce. */
export function insteadOf({ senderKey, nonce, ...stuck }: TransferRow, rival: Rival): Expense {
  const payoutId = stuck.recipientKey === senderKey ? null : servedBy(stuck);
  return { payoutId, cost: maxCostOf(rival), besides: { senderKey, nonce } };
}

interface Substitute {
  /** The payout that it is signed for now, and that it counts against. */
  readonly forPayoutId: string | null;
  readonly wallet: Pick<Wallet, 'key' | 'path'>;
  readonly to: string;
  readonly currency: string;
  readonly amount: bigint;
  /** At a higher offer than that of the one in whose place it is. */
  readonly quote: Quote;
}

/** Signs a sweep in the place of one that cannot be carried out, with the same nonce: whichever is mined counts. */
export async function signInstead(ctx: Context, stuck: TransferRow, substitute: Substitute): Promise<boolean> {
  return inTransaction(ctx.deps, async (em) => {
    if (!(await isToBeReplaced(ctx, em, stuck))) return false;
    const { wallet, forPayoutId, ...signing } = substitute;
    if (!(await mayCost(ctx, em, insteadOf({ ...stuck, forPayoutId }, substitute.quote)))) return false;
    const order = { purpose: 'SWEEP', payoutId: null, forPayoutId, purse: { wallet } } as const;
    await signAndStore(ctx, em, { ...order, nonce: stuck.nonce, ...signing });
    return true;
  });
}

/**
 * Frees the nonce of a transaction that nobody takes, with one to its own sender. What it was to pay is due again once
 * that one is final, and is held until `againAfterMs` have passed.
 */
export async function freeNonce(
  ctx: Context,
  refused: TransferRow,
  rival: Rival,
  { reason, againAfterMs }: { reason: HeldReason; againAfterMs: number },
): Promise<boolean> {
  return inTransaction(ctx.deps, async (em) => {
    if (!(await isToBeReplaced(ctx, em, refused))) return false;
    await signFiller(ctx, em, refused, rival);
    if (refused.payoutId !== null) await hold(ctx.deps, em, refused.payoutId, reason, againAfterMs);
    return true;
  });
}

/** With its sender locked: whether a transaction is still the newest of its nonce, and open. */
async function isToBeReplaced(ctx: Context, em: EntityManager, row: TransferRow): Promise<boolean> {
  const { network } = ctx.chain.adapter;
  await readSender(em, network, row.senderKey, true);
  if (!(await ctx.comparison.maySign(em))) return false;
  const newest = await findNewestOfNonce(em, network, row);
  return newest?.id === row.id && newest.status === row.status;
}

/** What a transaction may cost besides its gas. */
export const surchargeOf = ({ maxCost, gas, maxPerGas }: TransferRow): bigint => maxCost - gas * maxPerGas;

/**
 * Uses up the nonce of a transaction that must not be carried out any more: the least amount of the coin to its own
 * sender, at a higher offer, so that it and not the other is sent from now on. What it costs counts against the payout, but
 * no bound stands against it: it ends what costs.
 */
export async function signFiller(
  ctx: Context,
  em: EntityManager,
  unwanted: TransferRow,
  rival: Rival = dearerThan(unwanted),
): Promise<void> {
  const { senderKey, senderPath: path, nonce } = unwanted;
  const purse = { wallet: { key: senderKey, path } };
  const currency = ctx.coin.currency;
  const quote = { ...rival, anchor: null };
  const order = { purpose: 'GAS', payoutId: null, forPayoutId: servedBy(unwanted), purse, to: senderKey } as const;
  await signAndStore(ctx, em, { ...order, amount: 1n, quote, currency, nonce });
}

/** An eighth more than a transaction offers, for as much gas. */
function dearerThan(row: TransferRow): Rival {
  const more = (units: bigint) => units + units / 8n + 1n;
  const { gas, maxPerGas, tipPerGas } = row;
  const fees = { maxPerGas: more(maxPerGas), tipPerGas: tipPerGas === null ? null : more(tipPerGas) };
  return { gas, fees, surcharge: surchargeOf(row) };
}
