// Records a change of a payout as an event, in the transaction that makes the change.

import type { EntityManager } from '../../database/connection.ts';
import type { Payout } from '../../entities/payout.ts';
import type { PayoutStep } from '../../values/payouts/state.ts';
import type { Deps } from '../deps.ts';
import { snapshotPayout } from '../snapshots/payout.ts';
import { payoutEventRow, recordEvents } from './record.ts';

/**
 * Counts the change of a payout whose row is locked and whose fields are changed, and records it; the caller flushes.
 * The gateway's fees belong to no merchant: nobody is told of them.
 */
export async function recordPayout(
  { environment }: Pick<Deps, 'environment'>,
  em: EntityManager,
  payout: Payout,
  step: PayoutStep,
): Promise<void> {
  const { merchantId, updatedAt: at } = payout;
  payout.version += 1;
  if (merchantId == null) return;
  const type = `${payout.kind === 'REFUND' ? 'refund' : 'withdrawal'}.${step}` as const;
  const event = { type, merchantId, version: payout.version, payout: snapshotPayout(payout), at };
  await recordEvents(em, [payoutEventRow(environment, event)]);
}
