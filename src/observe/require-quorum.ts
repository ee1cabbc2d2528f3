// Requires two nodes to agree on a block with large deposits before it is applied.

import type { ChainBlock } from '../chain/blocks.ts';
import { findReceivers } from '../database/queries/payments/find-payments.ts';
import type { Chain, Deps } from '../domain/deps.ts';

/**
 * Throws `ChainUnavailable` until a second node shows the same large deposits; the network waits meanwhile. Blocks
 * without large deposits to our addresses need no second node.
 */
export async function requireQuorumForLargeDeposits(
  deps: Pick<Deps, 'db'>,
  { adapter, quorumAbove }: Chain,
  block: ChainBlock,
): Promise<void> {
  if (!adapter.requireQuorum || !quorumAbove) return;
  const large = block.transfers.filter(({ currency, amount }) => amount > (quorumAbove.get(currency) ?? 0n));
  const keys = [...new Set(large.map(({ addressKey }) => addressKey))];
  const receivers = await findReceivers(deps.db.em, adapter.account, keys);
  const ours = large.filter(({ addressKey }) => receivers.has(addressKey));
  if (ours.length > 0) await adapter.requireQuorum(block, ours);
}
