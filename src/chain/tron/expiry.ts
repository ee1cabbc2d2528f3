// Proves from final blocks that a TRON transaction has expired without being mined. A node's word is not enough,
// because several nodes at different heights may answer behind one URL; a chain of blocks up to a final one is the same
// from all.

import type { BlockHead } from '../blocks.ts';
import type { TronNode } from './node.ts';
import type { Reader } from './reader.ts';
import { readHead, type RpcBlock } from './rpc-types.ts';

interface ExpiryDeps {
  readonly node: TronNode;
  readonly reader: Reader;
}

/** The time between two blocks, at least. */
const SLOT_MS = 3_000;
/** How far before the expiry to search: twice the lifetime in send.ts, in case clocks or blocks are late. */
const SEARCHED_MS = 240_000;

/**
 * A block may include a transaction if its parent's time is before the expiry. So only blocks up to the first one at or
 * after the expiry can include it; once that block is final, no other can.
 */
export function createExpiryReader({ node, reader }: ExpiryDeps) {
  return async ({ txHash, validUntil }: { txHash: string; validUntil: number }): Promise<boolean> => {
    const final = readHead(await node.askFinal('getblock', { detail: false })) ?? node.fail('no block is final yet');
    if (final.time.getTime() < validUntil) return false;
    if ((await node.ask('gettransactioninfobyid', { value: txHash })).id !== undefined) return false;
    const last = await firstAtOrAfter(reader, final, validUntil);
    if (!last || !(await isFinal(node, last, final))) return false;
    return isInNone(reader, last, txHash, validUntil - SEARCHED_MS);
  };
}

/** The first block, up to `final`, whose time is at or after a moment; null if the chain changed meanwhile. */
async function firstAtOrAfter(reader: Reader, final: BlockHead, moment: number): Promise<BlockHead | null> {
  // There can be fewer blocks than slots, but not more: the block is at or above this height.
  let low = Math.max(0, final.height - Math.ceil((final.time.getTime() - moment) / SLOT_MS) - 1);
  let high = final;
  while (low < high.height - 1) {
    const middle = await reader.headAt(Math.floor((low + high.height) / 2));
    if (!middle) return null;
    if (middle.time.getTime() >= moment) high = middle;
    else low = middle.height;
  }
  return high;
}

/** Whether the node's final chain has the block at its height. */
async function isFinal(node: TronNode, block: BlockHead, final: BlockHead): Promise<boolean> {
  if (block.hash === final.hash) return true;
  const head = readHead(await node.askFinal('getblock', { id_or_num: String(block.height), detail: false }));
  return head?.hash === block.hash;
}

/** Searches downwards from `last`, following parent hashes, until a block is older than `oldest`. */
async function isInNone(reader: Reader, last: BlockHead, txHash: string, oldest: number): Promise<boolean> {
  let wanted = last.hash;
  for (let height = last.height; height >= 0; height -= 1) {
    const block: RpcBlock | null = await reader.blockAt(height);
    if (block?.hash !== wanted || block.transactions.some(({ id }) => id === txHash)) return false;
    if (block.time.getTime() < oldest) return true;
    wanted = block.parentHash;
  }
  return true;
}
