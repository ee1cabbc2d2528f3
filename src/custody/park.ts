// Parks one payout that cannot be signed now, unless it was signed or ended meanwhile: the signer skips it for a while.

import type { EntityManager } from '../database/connection.ts';
import { hasLiveTransaction } from '../database/queries/payouts/due-payouts.ts';
import { inTransaction } from '../domain/deps.ts';
import { hold } from '../domain/payouts/signing-gate.ts';
import { lockPayout } from '../domain/payouts/lifecycle.ts';
import type { HeldReason } from '../values/held-reasons.ts';
import type { Context } from './context.ts';

/**
 * Holds a payout that cannot be signed now: for the given time, or longer the longer it has been held for this reason.
 * Does nothing if it was signed or ended meanwhile. Returns the reason.
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

/** The same within a database transaction that is already open. */
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
