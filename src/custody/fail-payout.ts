// Ends a payout that cannot be carried out, and gives back what it had reserved.

import { hasLiveTransaction, type DuePayout } from '../database/queries/payouts/due-payouts.ts';
import { inTransaction } from '../domain/deps.ts';
import { failPayout, lockPayout } from '../domain/payouts/lifecycle.ts';
import type { Context, Look } from './context.ts';

/**
 * Fails a payout that cannot be carried out; nothing of it is under way, which is looked at once more under its lock. What
 * cannot be given up (it was booked as paid, before a reorganisation) waits for an operator to look at it.
 */
export async function giveUp({ deps, comparison }: Context, payout: DuePayout, reason: string): Promise<Look> {
  const failed = await inTransaction(deps, async (em) => {
    // A book that became an older one in this round may have lost what was signed for it.
    if (!(await comparison.maySign(em))) return false;
    const { payout: locked } = await lockPayout(em, payout.id);
    // One that was COMPLETED before a reorganisation is booked as paid: it stays owed, for its operator to look at.
    if (locked.completedAt != null || (await hasLiveTransaction(em, payout.id))) return false;
    await failPayout(deps, em, payout.id, reason, { reverted: payout.failures > 0, wasSigned: true });
    return true;
  });
  deps.log.warn(
    { payoutId: payout.id, reason },
    failed ? 'a payout failed and is released' : 'a payout cannot be sent',
  );
  deps.signals.events();
  return failed ? 'over' : 'NOT_ACCEPTED';
}
