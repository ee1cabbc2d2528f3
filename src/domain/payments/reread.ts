// Reads blocks again that were read when the book did not know all that is ours: what it did not book then is booked now.
// The cursor stays where it is, and what is booked already stays as it is, so that nobody is told anything twice.

import type { ChainAdapter } from '../../chain/adapter.ts';
import type { BlockRef, ChainBlock } from '../../chain/blocks.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import { readCursor } from '../../database/queries/chain/chain-cursor.ts';
import { findReceivers } from '../../database/queries/payments/find-payments.ts';
import { NETWORKS } from '../../values/assets.ts';
import type { Chain, Deps } from '../deps.ts';
import { applyAgain } from './apply-observation.ts';

/** Blocks fetched at once, where an adapter can. */
const AT_ONCE = 32;
/** Blocks nearer to the tip than this may still be replaced, and are read one after the other. */
const SAFE_DEPTH = 64;

export interface RereadOptions {
  /** The first block read is the one above. */
  readonly above: number;
  /** Told now and then how far it is. */
  readonly onProgress?: (height: number, upTo: number) => void;
}

/**
 * Reads all blocks above a height, up to where the network was read to. Answers how many. Throws `ChainUnavailable`, also
 * where the node does not have all of them: what has come so far is booked, and it can be begun anew.
 */
export async function rereadBlocks(deps: Deps, chain: Chain, { above, onProgress }: RereadOptions): Promise<number> {
  const { adapter } = chain;
  const cursor = await readCursor(deps.db.em, adapter.network);
  if (!cursor || above >= cursor.height) return 0;
  const missing = (height: number) =>
    new ChainUnavailable(adapter.network, `the node does not have the blocks from ${String(height)} on`);
  const start = await adapter.headAt(above);
  if (!start) throw missing(above);
  let at: BlockRef = start;
  let count = 0;
  while (at.height < cursor.height) {
    const blocks = await readSome(adapter, at, cursor.height);
    if (blocks.length === 0) throw missing(at.height + 1);
    for (const block of blocks) {
      if (block.height > cursor.height) return count;
      await rereadBlock(deps, chain, block);
      at = block;
      count += 1;
    }
    onProgress?.(at.height, cursor.height);
  }
  return count;
}

/** Reads the blocks at some heights again. */
export async function rereadAt(deps: Deps, chain: Chain, heights: readonly number[]): Promise<void> {
  for (const height of [...new Set(heights)].sort((a, b) => a - b)) {
    const parent = await chain.adapter.headAt(height - 1);
    const next = parent && (await chain.adapter.next(parent));
    if (next?.kind === 'block') await rereadBlock(deps, chain, next.block);
  }
}

/** What follows upon a block: many blocks far below the tip, else one; none where it left the chain. */
async function readSome(adapter: ChainAdapter, at: BlockRef, upTo: number): Promise<readonly ChainBlock[]> {
  if (adapter.following && upTo - at.height > AT_ONCE + SAFE_DEPTH) {
    const blocks = await adapter.following(at.height + 1, AT_ONCE, upTo);
    let parent = at.hash;
    const follow = blocks.filter((block) => {
      const isNext = block.parentHash === parent;
      if (isNext) parent = block.hash;
      return isNext;
    });
    if (follow.length === blocks.length && blocks.length > 0) return blocks;
  }
  const next = await adapter.next(at);
  return next.kind === 'block' ? [next.block] : [];
}

/** Applies what it has of ours. While it is looked at the network may be read on; then it is looked at again. */
async function rereadBlock(deps: Deps, chain: Chain, block: ChainBlock): Promise<void> {
  const { adapter } = chain;
  await attest(deps, chain, block);
  for (;;) {
    const cursor = await readCursor(deps.db.em, adapter.network);
    if (!cursor || cursor.height < block.height || !(await adapter.isCanonical(block))) return;
    if ((await applyAgain(deps, adapter.network, cursor, block)) === 'applied') return;
  }
}

/** As when blocks are read for the first time: what is worth much is believed when two nodes say it. */
async function attest({ db }: Deps, { adapter, quorumAbove }: Chain, block: ChainBlock): Promise<void> {
  if (!adapter.requireQuorum || !quorumAbove) return;
  const large = block.transfers.filter(({ currency, amount }) => amount > (quorumAbove.get(currency) ?? 0n));
  const keys = [...new Set(large.map(({ addressKey }) => addressKey))];
  const receivers = await findReceivers(db.em, NETWORKS[adapter.network].account, keys);
  const ours = large.filter(({ addressKey }) => receivers.has(addressKey));
  if (ours.length > 0) await adapter.requireQuorum(block, ours);
}
