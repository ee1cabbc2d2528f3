// Parks a payout by itself: it says why it waits, and the signer passes over it for a while.

import type { EntityManager } from '../database/connection.ts';
import { hasLiveTransaction } from '../database/queries/payouts/due-payouts.ts';
import { inTransaction } from '../domain/deps.ts';
import { hold } from '../domain/payouts/signing-gate.ts';
import { lockPayout } from '../domain/payouts/lifecycle.ts';
import type { HeldReason } from '../values/held-reasons.ts';
import type { Context } from './context.ts';

/**
 * Holds a payout that cannot be signed now, for as long as is said or as its reason has it; one that was signed or ended
 * meanwhile is left alone. Answers the reason, for its callers.
 */
export async function park(
  { deps }: Pick<Context, 'deps'>,
  payoutId: string,
  reason: HeldReason,
  againAfterMs?: number,
): Promise<HeldReason> {
  await inTransaction(deps, (em) => parkIn(deps, em, payoutId, reason, againAfterMs));
  return reason;
}

/** The same in a transaction that is under way. */
export async function parkIn(
  deps: Context['deps'],
  em: EntityManager,
  payoutId: string,
  reason: HeldReason,
  againAfterMs?: number,
): Promise<void> {
  const { payout } = await lockPayout(em, payoutId);
  const isOpen = payout.status === 'REQUESTED' || payout.status === 'BROADCAST';
  if (isOpen && !(await hasLiveTransaction(em, payoutId))) await hold(deps, em, payoutId, reason, againAfterMs);
}
