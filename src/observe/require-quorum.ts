// What is worth much is believed when two nodes say it.

import type { ChainBlock } from '../chain/blocks.ts';
import { findReceivers } from '../database/queries/payments/find-payments.ts';
import type { Chain, Deps } from '../domain/deps.ts';

/**
 * Has a second node show the large deposits of a block before anything of it is applied. Throws `ChainUnavailable` until
 * one does: the network waits, as it does without a node. Blocks without such deposits cost nothing.
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
