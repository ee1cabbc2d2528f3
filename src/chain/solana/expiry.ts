// Proves from final blocks that a Solana transaction has expired without being mined. A node's word is not enough,
// because several nodes at different heights may answer behind one URL; a chain of final blocks is the same from all of
// them. The expiry height came from the quoting node and is not signed, so the transaction's blockhash must be too old
// as well.

import { readBlockhash } from './message.ts';
import type { SolanaNode } from './node.ts';
import type { ExpiringTransaction } from '../transactions.ts';
import type { Reader } from './reader.ts';

interface ExpiryDeps {
  readonly node: SolanaNode;
  readonly reader: Pick<Reader, 'statusOf'>;
}

/** The blocks to search before the expiry: a transaction is valid for 150 blocks; more for safety. */
const SEARCHED_BLOCKS = 170;
/** How many more slots than blocks to request, because some slots have no block. */
const SKIPPED_PERCENT = 40;
/** Blocks requested in parallel. */
const PARALLEL = 8;

/** A transaction is valid in the 150 blocks after its blockhash; `validUntil` is the height of the last one. */
export function createExpiryReader({ node, reader }: ExpiryDeps) {
  return async ({ txHash, validUntil, raw }: ExpiringTransaction): Promise<boolean> => {
    const slot = await node.slot('finalized');
    const final = await node.head(slot, 'finalized');
    if (!final || final.blockHeight <= validUntil) return false;
    if ((await reader.statusOf(txHash)) !== null) return false;
    const hash = readBlockhash(raw);
    if (hash !== null && ((await node.isRecent(hash, 'finalized')) || (await node.isRecent(hash, 'processed'))))
      return false;
    const blocks = final.blockHeight - validUntil + SEARCHED_BLOCKS;
    const slots = await readSlots(slot, blocks);
    // Between `validUntil` and the final block there is one block per height.
    const last = slots.length - 1 - (final.blockHeight - validUntil);
    const first = Math.max(0, last - SEARCHED_BLOCKS);
    return isInNone(slots.slice(first, last + 1), { txHash, validUntil });
  };

  /** The slots of at least `blocks` final blocks up to `slot`; all slots on a short chain. */
  async function readSlots(slot: number, blocks: number): Promise<readonly number[]> {
    for (let span = Math.ceil((blocks * (100 + SKIPPED_PERCENT)) / 100); ; span *= 2) {
      const slots = await node.slotsWithBlocks(Math.max(0, slot - span), slot, 'finalized');
      if (slots.length > blocks || span >= slot) return slots;
    }
  }

  /** Each block must follow the one before at the expected height, so that none is missing. */
  async function isInNone(slots: readonly number[], { txHash, validUntil }: { txHash: string; validUntil: number }) {
    let parent: string | null = null;
    for (let start = 0; start < slots.length; start += PARALLEL) {
      const some = slots.slice(start, start + PARALLEL);
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
