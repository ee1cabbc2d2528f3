// Records changes of payouts as events, in the transaction that makes them.

import type { EntityManager } from '../../database/connection.ts';
import type { Payout } from '../../entities/payout.ts';
import type { PayoutStep } from '../../values/payouts/state.ts';
import type { Deps } from '../deps.ts';
import { snapshotPayout } from '../snapshots/payout.ts';
import { payoutEventRow, recordEvents } from './record.ts';

/**
 * Counts the change of payouts whose rows are locked and whose fields are changed, and records it; the caller flushes.
 * The gateway's fees belong to no merchant: nobody is told of them.
 */
export async function recordPayouts(
  deps: Pick<Deps, 'environment'>,
  em: EntityManager,
  payouts: readonly Payout[],
  step: PayoutStep,
): Promise<void> {
  for (const payout of payouts) payout.version += 1;
  await recordVersions(deps, em, payouts, step);
}

/** Records that payouts were requested, which is their version 1. */
export const recordRequests = (
  deps: Pick<Deps, 'environment'>,
  em: EntityManager,
  payouts: readonly Payout[],
): Promise<void> => recordVersions(deps, em, payouts, 'requested');

async function recordVersions(
  { environment }: Pick<Deps, 'environment'>,
  em: EntityManager,
  payouts: readonly Payout[],
  step: PayoutStep,
): Promise<void> {
  const rows = payouts.flatMap((payout) => {
    const { merchantId, version, updatedAt: at } = payout;
    if (merchantId == null) return [];
    const type = `${payout.kind === 'REFUND' ? 'refund' : 'withdrawal'}.${step}` as const;
    return [payoutEventRow(environment, { type, merchantId, version, payout: snapshotPayout(payout), at })];
  });
  await recordEvents(em, rows);
}
