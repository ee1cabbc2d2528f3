// Whether a transaction can be in no block any more, proven by the blocks themselves. A node that does not know a
// transaction may lag behind the one that knows that its time is over, where several answer at one address; final
// blocks that each follow the one before are the same from every node. Where its time ends is what the node said that
// it was quoted by, and is not in it: so the block that it is tied to must be too old for the network as well.

import { readBlockhash } from './message.ts';
import type { SolanaNode } from './node.ts';
import type { ExpiringTransaction } from '../transactions.ts';
import type { Reader } from './reader.ts';

interface ExpiryDeps {
  readonly node: SolanaNode;
  readonly reader: Pick<Reader, 'statusOf'>;
}

/** How many blocks before its end a transaction may be in: the network takes it in 150, and some more for safety. */
const LOOKED_THROUGH = 170;
/** Slots are looked through for blocks in excess of the blocks wanted, since some have none. */
const SKIPPED_PERCENT = 40;
/** Blocks asked for at once. */
const AT_ONCE = 8;

/**
 * A transaction is tied to a recent block and valid in the 150 that follow it; `validUntil` is the height of the last.
 */
export function createExpiryReader({ node, reader }: ExpiryDeps) {
  return async ({ txHash, validUntil, raw }: ExpiringTransaction): Promise<boolean> => {
    const slot = await node.slot('finalized');
    const final = await node.head(slot, 'finalized');
    if (!final || final.blockHeight <= validUntil) return false;
    if ((await reader.statusOf(txHash)) !== null) return false;
    const tiedTo = readBlockhash(raw);
    if (tiedTo !== null && ((await node.isRecent(tiedTo, 'finalized')) || (await node.isRecent(tiedTo, 'processed'))))
      return false;
    const blocks = final.blockHeight - validUntil + LOOKED_THROUGH;
    const slots = await readSlots(slot, blocks);
    // As many blocks above the last one that counts as heights.
    const last = slots.length - 1 - (final.blockHeight - validUntil);
    const first = Math.max(0, last - LOOKED_THROUGH);
    return isInNone(slots.slice(first, last + 1), { txHash, validUntil });
  };

  /** The slots of at least so many final blocks, up to one; all there are on a short chain. */
  async function readSlots(slot: number, blocks: number): Promise<readonly number[]> {
    for (let span = Math.ceil((blocks * (100 + SKIPPED_PERCENT)) / 100); ; span *= 2) {
      const slots = await node.slotsWithBlocks(Math.max(0, slot - span), slot, 'finalized');
      if (slots.length > blocks || span >= slot) return slots;
    }
  }

  /** Each block must follow the one before, and have its height: then none is missing between them. */
  async function isInNone(slots: readonly number[], { txHash, validUntil }: { txHash: string; validUntil: number }) {
    let parent: string | null = null;
    for (let start = 0; start < slots.length; start += AT_ONCE) {
      const some = slots.slice(start, start + AT_ONCE);
      const blocks = await Promise.all(some.map((slot) => node.ids(slot, 'finalized')));
      for (const [position, block] of blocks.entries()) {
        const height = validUntil - (slots.length - 1 - start - position);
        if (block?.blockHeight !== height || (parent !== null && block.parentHash !== parent)) return false;
        if (block.ids.includes(txHash)) return false;
        parent = block.hash;
      }
    }
    return parent !== null;
  }
}
