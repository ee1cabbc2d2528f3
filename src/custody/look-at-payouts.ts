// One round over the payouts that are due. Each is a matter of its own: what is special about one parks that one, with a
// reason, and the next is looked at.

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
import type { HeldReason } from '../values/held-reasons.ts';
import type { Context, Look } from './context.ts';
import { giveUp } from './fail-payout.ts';
import { park, parkIn } from './park.ts';
import { RecipientTooDear } from './payout-cost.ts';

/** Payouts looked at in one round. */
const BATCH = 50;
/** So many in a row that could not be judged are no fault of theirs: the round ends. */
const FAILURES_IN_A_ROW = 3;
/** A recipient has refused for good when it did at so many blocks that span the required confirmations. */
const REFUSED_AT_BLOCKS = 3;

/** Looks at one payout. What it throws parks that payout. */
type LookAt = (payout: DuePayout, progressed: boolean) => Promise<Look>;

/**
 * Looks at the payouts that are due; says whether anything was done. Throws `ChainUnavailable` when the node can be asked
 * nothing, and what else went wrong, after the others were looked at.
 */
export async function lookAtPayouts(ctx: Context, lookAt: LookAt): Promise<boolean> {
  const { em } = ctx.deps.db;
  const since = ctx.deps.clock.now();
  const due = await findDuePayouts(em, ctx.chain.adapter.network, { now: since, limit: BATCH });
  const failures: Error[] = [];
  const coming: string[] = [];
  let [progressed, isRefused, inRow, answered] = [false, false, 0, 0];
  for (const payout of due) {
    try {
      const look = await judge(ctx, payout, () => lookAt(payout, progressed));
      if (look === 'acted' || look === 'coming') coming.push(payout.id);
      isRefused ||= look === 'RECIPIENT_REFUSES';
      progressed ||= look === 'over' || look === 'acted' || (look !== 'coming' && due.length === BATCH);
      inRow = 0;
      answered += 1;
    } catch (error) {
      // It has its turn again after all others.
      await sendToTheEnd(em, [payout.id], { since, now: ctx.deps.clock.now() });
      failures.push(error instanceof Error ? error : new Error(String(error)));
      ctx.warn(`payout ${payout.id}`, { err: error, payoutId: payout.id }, 'a payout could not be looked at');
      inRow += 1;
      if (inRow === FAILURES_IN_A_ROW) break;
    }
  }
  await sendToTheEnd(em, coming, { since, now: ctx.deps.clock.now() });
  throwWorst(failures, answered > 0);
  return (isRefused && (await mineForTheRefused(ctx))) || progressed;
}

/** Whether a recipient refuses for good shows in blocks to come: the sandbox's chain makes them. */
async function mineForTheRefused({ devChain, deps, chain }: Context): Promise<boolean> {
  if (!devChain) return false;
  await devChain.mine(1);
  deps.signals.chain(chain.adapter.network);
  return true;
}

/** A node that fails for one payout and not for another has failed for that one. Anything else has to be seen. */
function throwWorst(failures: readonly Error[], someAnswered: boolean): void {
  const ours = failures.find((error) => !(error instanceof ChainUnavailable));
  if (ours !== undefined) throw ours;
  const [first] = failures;
  if (first !== undefined && !someAnswered) throw first;
}

/** Takes down what a look came to. */
async function judge(ctx: Context, payout: DuePayout, lookAt: () => Promise<Look>): Promise<Look> {
  const obstacle = await parkBehindObstacle(ctx, payout);
  if (obstacle !== null) return obstacle;
  let look: Look;
  try {
    look = await lookAt();
  } catch (error) {
    // It says nothing of the recipient, who may have refused before.
    if (error instanceof PriceTooHigh) return park(ctx, payout.id, 'TOO_EXPENSIVE');
    if (!(error instanceof TransactionRefused)) throw error;
    if (error.reason === 'REVERTED' && error.at !== null) return refuse(ctx, payout, error);
    look = error.reason === 'FUNDS' ? 'MISSING_FUNDS' : 'NOT_ACCEPTED';
    ctx.warn(`payout ${payout.id}`, { err: error, payoutId: payout.id }, 'a payout waits: its transfer would fail');
  }
  if (payout.refusals > 0) await clearRefusals(ctx.deps.db.em, payout.id);
  return settle(ctx, payout, look);
}

/**
 * Parks a payout behind what an operator has put in its way; null where nothing stands there. A freeze that is being
 * lifted waits for this, or is seen as lifted: what only it held goes on at once.
 */
async function parkBehindObstacle({ deps, chain }: Context, { id, ...payout }: DuePayout): Promise<HeldReason | null> {
  const obstructed = { ...payout, id, network: chain.adapter.network };
  if ((await findObstacle(deps.db.em, obstructed)) === null) return null;
  return inTransaction(deps, async (em) => {
    await lockForSigning(em);
    const obstacle = await findObstacle(em, obstructed);
    if (obstacle !== null) await parkIn(deps, em, id, obstacle);
    return obstacle;
  });
}

/** What neither ended a payout nor brought it on parks it. */
async function settle(ctx: Context, { id }: DuePayout, look: Look): Promise<Look> {
  return look === 'over' || look === 'acted' || look === 'coming' ? look : park(ctx, id, look);
}

/**
 * A refusal is the word of one node at one block, which may be a block behind; only one that stays for as long as a
 * payment takes to be final ends a payout. Until then it waits, on the sandbox's chain for the next block only.
 */
async function refuse(ctx: Context, payout: DuePayout, refusal: TransactionRefused): Promise<Look> {
  const { deps, chain, devChain } = ctx;
  if (refusal.at === null) throw refusal;
  const { blocks, span } = await addRefusal(deps.db.em, payout.id, refusal.at);
  if (blocks >= REFUSED_AT_BLOCKS && span >= chain.requiredConfirmations) {
    const isDear = refusal instanceof RecipientTooDear;
    const reason = isDear ? refusal.failure : 'the recipient or the token refuses the transfer';
    return settle(ctx, payout, await giveUp(ctx, payout, reason));
  }
  const fields = { err: refusal, payoutId: payout.id, blocks };
  ctx.warn(`payout ${payout.id}`, fields, 'a payout waits: its recipient or its token refuses it');
  return park(ctx, payout.id, 'RECIPIENT_REFUSES', devChain ? 0 : undefined);
}
