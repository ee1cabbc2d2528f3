// Limits what a payout may cost the gateway, before anything is signed for it: its own transactions, their
// replacements, and the sweeps and top-ups made for it, all together.

import type { BlockRef } from '../chain/blocks.ts';
import { TransactionRefused } from '../chain/errors.ts';
import type { Quote, TransactionRequest } from '../chain/transactions.ts';
import type { EntityManager } from '../database/connection.ts';
import type { DuePayout } from '../database/queries/payouts/due-payouts.ts';
import { isAccountPaid, readSpent, type Place } from '../database/queries/payouts/costs.ts';
import type { TransactionRow } from '../database/queries/payouts/transactions.ts';
import { hold } from '../domain/payouts/signing-gate.ts';
import { lockPayout } from '../domain/payouts/lifecycle.ts';
import type { Network } from '../values/assets.ts';
import { defaultBounds, type PayoutBounds } from '../values/payout-bounds.ts';
import type { AccountContext, Context } from './context.ts';

/** The payout bounds of the network. */
export function boundsOf({ chain }: Pick<Context, 'chain'>): PayoutBounds {
  return chain.payoutBounds ?? defaultBounds(chain.adapter.network);
}

/** The cost of a transaction about to be signed for a payout, or an estimate of everything it still needs. */
export interface Expense {
  /** Null if it serves no payout. */
  readonly payoutId: string | null;
  /** The most that the chain may charge, in base units of the coin. */
  readonly cost: bigint;
  /** The place (sender and nonce) that it competes for, if the payout already has a transaction there. */
  readonly place?: Place;
}

/** The payout that a transaction is signed for; null if it serves none. */
export const servedBy = ({ payoutId, forPayoutId }: Pick<TransactionRow, 'payoutId' | 'forPayoutId'>): string | null =>
  payoutId ?? forPayoutId;

/**
 * Whether a transaction may be signed, checked in the database transaction that signs it, with its sender's row locked:
 * all that the payout has cost and may still cost must stay within the bound. If not, the payout is held as
 * TOO_EXPENSIVE.
 */
export async function mayCost(ctx: Context, em: EntityManager, expense: Expense): Promise<boolean> {
  const { payoutId } = expense;
  if (payoutId === null) return true;
  // Two signers that sweep for one payout must not both spend what is left of its bound.
  await lockPayout(em, payoutId);
  return (await isWithin(ctx, em, expense)) || hold(ctx.deps, em, payoutId, 'TOO_EXPENSIVE');
}

/**
 * Whether a payout stays within its bound, asked before anything is spent on it. Each transaction is checked again when
 * it is signed.
 */
export function isAffordable(ctx: Context, expense: Expense): Promise<boolean> {
  return isWithin(ctx, ctx.deps.db.em, expense);
}

async function isWithin(ctx: Context, em: EntityManager, { payoutId, cost, place }: Expense): Promise<boolean> {
  if (payoutId === null) return true;
  const wanted = (await readSpent(em, payoutId, place ?? null)) + cost;
  const { maxCost } = boundsOf(ctx);
  if (wanted <= maxCost) return true;
  const figures = { wanted: wanted.toString(), maxCost: maxCost.toString(), coin: ctx.coin.currency };
  ctx.warn(`too expensive ${payoutId}`, { payoutId, ...figures }, 'a payout waits: it would cost too much');
  return false;
}

/** The recipient costs too much. This counts as a refusal by the recipient's code. */
export class RecipientTooExpensive extends TransactionRefused {
  constructor(
    network: Network,
    /** Why, for the payout's record. */
    readonly failure: string,
    at: BlockRef,
  ) {
    super(network, 'REVERTED', { at });
    this.name = 'RecipientTooExpensive';
  }
}

/**
 * Checks what a payout's recipient costs us. Throws `RecipientTooExpensive` if their code takes too much gas, or if an
 * account would be opened for them that was not paid for.
 */
export async function checkRecipient(
  ctx: AccountContext,
  payout: DuePayout,
  request: TransactionRequest,
  quote: Quote,
): Promise<void> {
  const objection = await findObjection(ctx, payout, request, quote);
  if (objection === null) return;
  const { adapter } = ctx.chain;
  throw new RecipientTooExpensive(adapter.network, objection, await adapter.tip());
}

/** Why a recipient costs more than allowed; null if they do not. */
async function findObjection(
  ctx: AccountContext,
  { id, merchantId, currency }: DuePayout,
  request: TransactionRequest,
  { gas, opensAccount = false }: Quote,
): Promise<string | null> {
  if (await takesTooMuchGas(ctx, request, gas)) return 'the recipient takes more gas than is allowed';
  // The operator's own account is the operator's own expense.
  const isCharged = merchantId !== null && (ctx.chain.newAccountFees?.get(currency) ?? 0n) > 0n;
  if (opensAccount && isCharged && !(await isAccountPaid(ctx.deps.db.em, id)))
    return 'the recipient has no account for the token any more, and its fee does not cover one';
  return null;
}

/**
 * Whether a transfer to the recipient takes too much more gas than one to our own wallet: code of theirs runs at our
 * expense. `gas` is what the transfer to them would buy.
 */
async function takesTooMuchGas(ctx: AccountContext, request: TransactionRequest, gas: bigint): Promise<boolean> {
  const { extraGas } = boundsOf(ctx);
  if (extraGas === null || gas <= extraGas) return false;
  const own = await quoteToOurselves(ctx, request);
  return own !== null && gas - own > extraGas;
}

/** Null if the transfer to ourselves is refused too: then it says nothing about the recipient. */
async function quoteToOurselves(
  { chain, wallets }: AccountContext,
  request: TransactionRequest,
): Promise<bigint | null> {
  try {
    return (await chain.adapter.quote({ ...request, to: wallets.gas.address })).gas;
  } catch (error) {
    if (error instanceof TransactionRefused) return null;
    throw error;
  }
}
