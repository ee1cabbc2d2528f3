// One round over the payouts that are due. Each is handled by itself: a problem with one parks that one, with a reason,
// and the round goes on.

import { ChainUnavailable, PriceTooHigh, TransactionRefused } from '../chain/errors.ts';
import {
  addRefusal,
  clearRefusals,
  findDuePayouts,
  sendToTheEnd,
  type DuePayout,
} from '../database/queries/payouts/due-payouts.ts';
import { lockForSigning } from '../database/queries/payouts/obstacles.ts';
import { inTransaction } from '../domain/deps.ts';
import { findObstacle } from '../domain/payouts/signing-gate.ts';
import { traced } from '../tracing.ts';
import type { HeldReason } from '../values/held-reasons.ts';
import type { Context, LookResult } from './context.ts';
import { failUnpayable } from './fail-payout.ts';
import { park, parkIn } from './park.ts';
import { RecipientTooExpensive } from './payout-cost.ts';

/** Payouts per round. */
const BATCH = 50;
/** After this many failures in a row the payouts are not at fault, and the round ends. */
const FAILURES_IN_A_ROW = 3;
/** A refusal is permanent once it was seen at this many blocks that span the required confirmations. */
const REFUSED_AT_BLOCKS = 3;

/** Processes one payout. Errors concern that payout alone. */
type LookAt = (payout: DuePayout, progressed: boolean) => Promise<LookResult>;

/**
 * Processes the payouts that are due; true if anything was done. Throws `ChainUnavailable` if the node answered for
 * none of them, and any other error after the others were processed.
 */
export async function processPayouts(ctx: Context, lookAt: LookAt): Promise<boolean> {
  const { em } = ctx.deps.db;
  const since = ctx.deps.clock.now();
  const due = await findDuePayouts(em, ctx.chain.adapter.network, { now: since, limit: BATCH });
  const failures: Error[] = [];
  const coming: string[] = [];
  let [progressed, isRefused, inRow, answered] = [false, false, 0, 0];
  for (const payout of due) {
    try {
      const attributes = { 'payout.id': payout.id, network: ctx.chain.adapter.network };
      const look = await traced('pay', { below: payout.trace }, attributes, () =>
        processPayout(ctx, payout, () => lookAt(payout, progressed)),
      );
      if (look === 'acted' || look === 'coming') coming.push(payout.id);
      isRefused ||= look === 'RECIPIENT_REFUSES';
      progressed ||= look === 'over' || look === 'acted' || (look !== 'coming' && due.length === BATCH);
      inRow = 0;
      answered += 1;
    } catch (error) {
      // It is tried again after all others.
      await sendToTheEnd(em, [payout.id], { since, now: ctx.deps.clock.now() });
      failures.push(error instanceof Error ? error : new Error(String(error)));
      ctx.warn(`payout ${payout.id}`, { err: error, payoutId: payout.id }, 'a payout could not be looked at');
      inRow += 1;
      if (inRow === FAILURES_IN_A_ROW) break;
    }
  }
  await sendToTheEnd(em, coming, { since, now: ctx.deps.clock.now() });
  throwWorst(failures, answered > 0);
  return (isRefused && (await mineForRefusals(ctx))) || progressed;
}

/** Only later blocks show whether a recipient refuses permanently, so the sandbox's chain mines one. */
async function mineForRefusals({ devChain, deps, chain }: Context): Promise<boolean> {
  if (!devChain) return false;
  await devChain.mine(1);
  deps.signals.chain(chain.adapter.network);
  return true;
}

/** A node that fails for some payouts but not for others failed because of them. Any other error must be seen. */
function throwWorst(failures: readonly Error[], someAnswered: boolean): void {
  const unexpected = failures.find((error) => !(error instanceof ChainUnavailable));
  if (unexpected !== undefined) throw unexpected;
  const [first] = failures;
  if (first !== undefined && !someAnswered) throw first;
}

/** Processes one payout, and parks it if it cannot go on. */
async function processPayout(ctx: Context, payout: DuePayout, lookAt: () => Promise<LookResult>): Promise<LookResult> {
  const obstacle = await parkIfStopped(ctx, payout);
  if (obstacle !== null) return obstacle;
  let look: LookResult;
  try {
    look = await lookAt();
  } catch (error) {
    // The price says nothing about the recipient; earlier refusals still count.
    if (error instanceof PriceTooHigh) return park(ctx, payout.id, 'TOO_EXPENSIVE');
    if (!(error instanceof TransactionRefused)) throw error;
    if (error.reason === 'REVERTED' && error.at !== null) return handleRefusal(ctx, payout, error);
    look = error.reason === 'FUNDS' ? 'MISSING_FUNDS' : 'NOT_ACCEPTED';
    ctx.warn(`payout ${payout.id}`, { err: error, payoutId: payout.id }, 'a payout waits: its transaction would fail');
  }
  if (payout.refusals > 0) await clearRefusals(ctx.deps.db.em, payout.id);
  return parkUnlessDone(ctx, payout, look);
}

/**
 * Parks a payout that an operator has stopped; null if nothing stops it. A freeze that is being lifted either waits for
 * this lock or is seen as lifted, so that the payouts it held go on at once.
 */
async function parkIfStopped({ deps, chain }: Context, { id, ...payout }: DuePayout): Promise<HeldReason | null> {
  const obstructed = { ...payout, id, network: chain.adapter.network };
  if ((await findObstacle(deps.db.em, obstructed)) === null) return null;
  return inTransaction(deps, async (em) => {
    await lockForSigning(em);
    const obstacle = await findObstacle(em, obstructed);
    if (obstacle !== null) await parkIn(deps, em, id, obstacle);
    return obstacle;
  });
}

/** Parks a payout that was neither finished nor advanced. */
async function parkUnlessDone(ctx: Context, { id }: DuePayout, look: LookResult): Promise<LookResult> {
  return look === 'over' || look === 'acted' || look === 'coming' ? look : park(ctx, id, look);
}

/**
 * A refusal is one node's answer at one block, perhaps an older one. It ends the payout only if it lasts as long as a
 * payment takes to be final. Until then the payout waits, on the sandbox's chain only for the next block.
 */
async function handleRefusal(ctx: Context, payout: DuePayout, refusal: TransactionRefused): Promise<LookResult> {
  const { deps, chain, devChain } = ctx;
  if (refusal.at === null) throw refusal;
  const { blocks, span } = await addRefusal(deps.db.em, payout.id, refusal.at);
  if (blocks >= REFUSED_AT_BLOCKS && span >= chain.requiredConfirmations) {
    const isTooExpensive = refusal instanceof RecipientTooExpensive;
    const reason = isTooExpensive ? refusal.failure : 'the recipient or the token refuses the transfer';
    return parkUnlessDone(ctx, payout, await failUnpayable(ctx, payout, reason));
  }
  const fields = { err: refusal, payoutId: payout.id, blocks };
  ctx.warn(`payout ${payout.id}`, fields, 'a payout waits: its recipient or its token refuses it');
  return park(ctx, payout.id, 'RECIPIENT_REFUSES', devChain ? 0 : undefined);
}
