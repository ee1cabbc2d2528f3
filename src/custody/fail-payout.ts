// Fails a payout that cannot be carried out, and releases the money reserved for it.

import { hasLiveTransaction, type DuePayout } from '../database/queries/payouts/due-payouts.ts';
import { inTransaction } from '../domain/deps.ts';
import { failPayout, lockPayout } from '../domain/payouts/lifecycle.ts';
import type { Context, LookResult } from './context.ts';

/**
 * Fails a payout that cannot be carried out. Checks once more, under the payout's lock, that none of its transactions
 * is under way. A payout that cannot be failed, because it was booked as paid before a reorganisation, waits for the
 * operator.
 */
export async function failUnpayable(
  { deps, comparison }: Context,
  payout: DuePayout,
  reason: string,
): Promise<LookResult> {
  const failed = await inTransaction(deps, async (em) => {
    // If the database became an older copy during this round, a signed transaction of this payout may be missing.
    if (!(await comparison.maySign(em))) return false;
    const { payout: locked } = await lockPayout(em, payout.id);
    // A payout that was COMPLETED before a reorganisation is booked as paid. It stays owed, for the operator to
    // resolve.
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
