// A deposit whose transaction lost its place to another one is gone for good once that one has the confirmations, be the
// winning branch as short as it may above the block that the deposit was in.

import type { BlockRef } from '../../chain/blocks.ts';
import { lowerOrphanedHeights, type DisplacedDeposit } from '../../database/queries/chain/conflicts.ts';
import type { Network } from '../../values/assets.ts';
import type { Deps } from '../deps.ts';
import { observe, type Observed } from './apply-observation.ts';

/**
 * Applies what is known, on the branch of the block `at`, of deposits that left the chain: from the heights at which
 * others took their places, confirmations are counted against them. Settles at once what has enough of them.
 */
export async function applyDisplaced(
  deps: Deps,
  network: Network,
  at: BlockRef,
  displaced: readonly DisplacedDeposit[],
): Promise<Observed> {
  return observe(deps, network, async (em, cursor) => {
    if (cursor.hash !== at.hash) return null;
    return { paymentIds: await lowerOrphanedHeights(em, displaced), height: cursor.height };
  });
}
