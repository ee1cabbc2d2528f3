// Whether a transaction can be in no block any more, proven by the blocks themselves. A node that does not know a
// transaction may lag behind the one that knows that its time is over, where several answer at one address; a chain of
// blocks that leads to a final one is the same from every node.

import type { BlockHead } from '../blocks.ts';
import type { TronNode } from './node.ts';
import type { Reader } from './reader.ts';
import { readHead, type RpcBlock } from './rpc-types.ts';

interface ExpiryDeps {
  readonly node: TronNode;
  readonly reader: Reader;
}

/** Blocks are at least so far apart. */
const SLOT_MS = 3_000;
/**
 * How far before its end a transaction may have been signed: twice what we give it, should clocks and blocks stutter.
 */
const LOOKED_THROUGH_MS = 240_000;

/**
 * A block takes a transaction while its parent's time is before the transaction's end. So those that may hold it are
 * the blocks up to the first one that is as late itself; once that one is final, no other can be added.
 */
export function createExpiryReader({ node, reader }: ExpiryDeps) {
  return async ({ txHash, validUntil }: { txHash: string; validUntil: number }): Promise<boolean> => {
    const final = readHead(await node.askFinal('getblock', { detail: false })) ?? node.fail('no block is final yet');
    if (final.time.getTime() < validUntil) return false;
    if ((await node.ask('gettransactioninfobyid', { value: txHash })).id !== undefined) return false;
    const last = await firstAsLateAs(reader, final, validUntil);
    if (!last || !(await leadsTo(node, last, final))) return false;
    return isNowhereBefore(reader, last, txHash, validUntil - LOOKED_THROUGH_MS);
  };
}

/**
 * The first block whose time is at or after a moment, at most `final`; null when the node's chain changed meanwhile.
 */
async function firstAsLateAs(reader: Reader, final: BlockHead, moment: number): Promise<BlockHead | null> {
  // Missed slots make blocks fewer, never more: the block is at or above this height.
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

/** Whether a block is on the final chain: the final view of the node has it at its height. */
async function leadsTo(node: TronNode, block: BlockHead, final: BlockHead): Promise<boolean> {
  if (block.hash === final.hash) return true;
  const head = readHead(await node.askFinal('getblock', { id_or_num: String(block.height), detail: false }));
  return head?.hash === block.hash;
}

/** Looks through the blocks before and up to `last`, each the parent of the one before, until one is too old. */
async function isNowhereBefore(reader: Reader, last: BlockHead, txHash: string, tooOld: number): Promise<boolean> {
  let wanted = last.hash;
  for (let height = last.height; height >= 0; height -= 1) {
    const block: RpcBlock | null = await reader.blockAt(height);
    if (block?.hash !== wanted || block.transactions.some(({ id }) => id === txHash)) return false;
    if (block.time.getTime() < tooOld) return true;
    wanted = block.parentHash;
  }
  return true;
}
