// What a payout may cost us, decided before anything is signed for it: its own transactions, their replacements, and the
// sweeps and top-ups that are made for it, all together.

import type { BlockRef } from '../chain/blocks.ts';
import { TransactionRefused } from '../chain/errors.ts';
import type { Quote, TransactionRequest } from '../chain/transactions.ts';
import type { EntityManager } from '../database/connection.ts';
import type { DuePayout } from '../database/queries/payouts/due-payouts.ts';
import { isAccountPaid, readSpent, type Place } from '../database/queries/payouts/costs.ts';
import type { TransferRow } from '../database/queries/payouts/transactions.ts';
import { hold } from '../domain/payouts/signing-gate.ts';
import { lockPayout } from '../domain/payouts/lifecycle.ts';
import type { Network } from '../values/assets.ts';
import { defaultBounds, type PayoutBounds } from '../values/payout-bounds.ts';
import type { AccountContext, Context } from './context.ts';

/** The bounds of the network at hand. */
export function boundsOf({ chain }: Pick<Context, 'chain'>): PayoutBounds {
  return chain.payoutBounds ?? defaultBounds(chain.adapter.network);
}

/** A transaction that is about to be signed for a payout, or an estimate of all that it still takes. */
export interface Expense {
  /** Null: it is for none. */
  readonly payoutId: string | null;
  /** The most that the chain may take, in base units of the coin. */
  readonly cost: bigint;
  /** The place that it competes for, where another transaction of the payout is there already. */
  readonly besides?: Place;
}

/** The payout that a transaction is signed for; null where it is for none. */
export const servedBy = ({ payoutId, forPayoutId }: Pick<TransferRow, 'payoutId' | 'forPayoutId'>): string | null =>
  payoutId ?? forPayoutId;

/**
 * Whether a transaction may be signed, judged in the transaction that signs it, with its sender's row locked: with all
 * that the payout has cost and may still cost, it stays within the bound. If not, the payout waits as TOO_EXPENSIVE.
 */
export async function mayCost(ctx: Context, em: EntityManager, expense: Expense): Promise<boolean> {
  const { payoutId } = expense;
  if (payoutId === null) return true;
  // Two signers that sweep for one payout must not both take what is left.
  await lockPayout(em, payoutId);
  return (await isWithin(ctx, em, expense)) || hold(ctx.deps, em, payoutId, 'TOO_EXPENSIVE');
}

/** Whether a payout stays within its bound, asked before the first coin is spent for it. What is signed is judged again. */
export function isAffordable(ctx: Context, expense: Expense): Promise<boolean> {
  return isWithin(ctx, ctx.deps.db.em, expense);
}

async function isWithin(ctx: Context, em: EntityManager, { payoutId, cost, besides }: Expense): Promise<boolean> {
  if (payoutId === null) return true;
  const wanted = (await readSpent(em, payoutId, besides ?? null)) + cost;
  const { maxCost } = boundsOf(ctx);
  if (wanted <= maxCost) return true;
  const figures = { wanted: wanted.toString(), maxCost: maxCost.toString(), coin: ctx.coin.currency };
  ctx.warn(`too expensive ${payoutId}`, { payoutId, ...figures }, 'a payout waits: it would cost too much');
  return false;
}

/** What a recipient would have us pay is a refusal of theirs: it counts as one that their code makes. */
export class RecipientTooDear extends TransactionRefused {
  constructor(
    network: Network,
    /** Why, for the payout's record. */
    readonly failure: string,
    at: BlockRef,
  ) {
    super(network, 'REVERTED', { at });
    this.name = 'RecipientTooDear';
  }
}

/**
 * Judges what a payout's recipient costs us. Throws `RecipientTooDear` where their code takes too much gas, or an account
 * would be opened for them that nobody paid for.
 */
export async function judgeRecipient(
  ctx: AccountContext,
  payout: DuePayout,
  request: TransactionRequest,
  quote: Quote,
): Promise<void> {
  const objection = await findObjection(ctx, payout, request, quote);
  if (objection === null) return;
  const { adapter } = ctx.chain;
  throw new RecipientTooDear(adapter.network, objection, await adapter.tip());
}

/** Why a recipient costs more than is allowed; null where they do not. */
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
 * Whether a recipient takes more gas than the same transfer to a wallet of ours by more than is allowed: code of theirs
 * runs at our expense. `gas` is what the transfer to them would buy.
 */
async function takesTooMuchGas(ctx: AccountContext, request: TransactionRequest, gas: bigint): Promise<boolean> {
  const { extraGas } = boundsOf(ctx);
  if (extraGas === null || gas <= extraGas) return false;
  const own = await quoteToOurselves(ctx, request);
  return own !== null && gas - own > extraGas;
}

/** Null where the transfer is refused to us as well: then it says nothing about the recipient. */
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
