// Rereads blocks after a recovery: records money that the book did not know to be ours when they were first read. The
// cursor does not move, and what is already recorded stays as it is, so no event is repeated.

import type { ChainAdapter } from '../../chain/adapter.ts';
import type { BlockRef, ChainBlock } from '../../chain/blocks.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import { readCursor } from '../../database/queries/chain/chain-cursor.ts';
import { findReceivers } from '../../database/queries/payments/find-payments.ts';
import { NETWORKS } from '../../values/assets.ts';
import type { Chain, Deps } from '../deps.ts';
import { applyAgain } from './apply-observation.ts';

/** How many blocks are fetched at once, if the adapter can. */
const AT_ONCE = 32;
/** Blocks nearer to the tip than this may still be replaced, and are read one by one. */
const SAFE_DEPTH = 64;

export interface RereadOptions {
  /** Reading starts at the block above this height. */
  readonly above: number;
  /** Called from time to time with the height reached. */
  readonly onProgress?: (height: number, upTo: number) => void;
}

/**
 * Reads all blocks above a height, up to the cursor; returns how many. Throws `ChainUnavailable`, also if the node
 * lacks some of the blocks: what was read so far is recorded, and the work can be restarted.
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

/** Rereads the blocks at some heights. */
export async function rereadAt(deps: Deps, chain: Chain, heights: readonly number[]): Promise<void> {
  for (const height of [...new Set(heights)].sort((a, b) => a - b)) {
    const parent = await chain.adapter.headAt(height - 1);
    const next = parent && (await chain.adapter.next(parent));
    if (next?.kind === 'block') await rereadBlock(deps, chain, next.block);
  }
}

/** The next blocks: many if they are far below the tip, otherwise one; none if `at` has left the chain. */
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

/** Applies a block again. If the watcher moves the cursor meanwhile, checks again whether the block is canonical. */
async function rereadBlock(deps: Deps, chain: Chain, block: ChainBlock): Promise<void> {
  const { adapter } = chain;
  await attest(deps, chain, block);
  for (;;) {
    const cursor = await readCursor(deps.db.em, adapter.network);
    if (!cursor || cursor.height < block.height || !(await adapter.isCanonical(block))) return;
    if ((await applyAgain(deps, adapter.network, cursor, block)) === 'applied') return;
  }
}

/** As in the first reading: large amounts must be confirmed by a second node. */
async function attest({ db }: Deps, { adapter, quorumAbove }: Chain, block: ChainBlock): Promise<void> {
  if (!adapter.requireQuorum || !quorumAbove) return;
  const large = block.transfers.filter(({ currency, amount }) => amount > (quorumAbove.get(currency) ?? 0n));
  const keys = [...new Set(large.map(({ addressKey }) => addressKey))];
  const receivers = await findReceivers(db.em, NETWORKS[adapter.network].account, keys);
  const ours = large.filter(({ addressKey }) => receivers.has(addressKey));
  if (ours.length > 0) await adapter.requireQuorum(block, ours);
}
