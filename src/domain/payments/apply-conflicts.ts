// Applies conflicts: counts confirmations against deposits whose transactions were replaced by conflicting ones,
// however short the winning branch is above the block that the deposit was in.

import type { BlockRef } from '../../chain/blocks.ts';
import { lockCursorAt } from '../../database/queries/chain/chain-cursor.ts';
import { lowerOrphanedHeights, type ConflictedDeposit } from '../../database/queries/chain/conflicts.ts';
import type { Network } from '../../values/assets.ts';
import type { Deps } from '../deps.ts';
import { applyObservation, type ObservationResult } from './apply-observation.ts';

/**
 * Applies conflicts seen on the branch of the block `at`: confirmations against each deposit are counted from the block
 * of the conflicting transaction. Payments whose deposits are thereby gone for good are settled at once.
 */
export async function applyConflicts(
  deps: Deps,
  network: Network,
  at: BlockRef,
  conflicted: readonly ConflictedDeposit[],
): Promise<ObservationResult> {
  return applyObservation(deps, network, async (em) => {
    if (!(await lockCursorAt(em, network, at.hash))) return null;
    return { paymentIds: await lowerOrphanedHeights(em, conflicted), height: at.height };
  });
}
