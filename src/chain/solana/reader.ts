// Reads Solana blocks from one node: the tip, heads by height, and the block after a cursor.
//
// Heights are slots, some of which have no block. Blocks are read once confirmed, up to 31 slots above the newest final
// one, so that 32 confirmations always mean final.

import type { BlockHead, BlockRef, ChainBlock, Next } from '../blocks.ts';
import type { SolanaNode } from './node.ts';
import { createTransactionFinder } from './find-transaction.ts';
import { decodeBlock, signedOf, type WatchedAssets } from './transfers.ts';
import { headOf, type RpcBlock, type RpcHead } from './rpc-types.ts';

interface ReaderDeps {
  readonly node: SolanaNode;
  readonly assets: WatchedAssets;
  /** Throws if the node is on another chain. */
  readonly assertChain: () => Promise<void>;
}

export type Reader = ReturnType<typeof createReader>;

/** How far above the newest final slot blocks are read. */
const ABOVE_FINAL = 31;
/** Slots to search for the newest block at or below a slot; gaps without blocks have lasted hours. */
const SEARCHED_BACK = [64, 10_000, 400_000];
/** Blocks fetched in parallel, because fetching one takes longer than the network takes to produce one. */
const PARALLEL = 8;
/** Slots requested at once, to find those with blocks. */
const SLOTS = 200;
/** Nodes accept half a million at most. */
const MANY_SLOTS = 400_000;

export function createReader({ node, assets, assertChain }: ReaderDeps) {
  /** The highest slot whose block may be read now. */
  const lastSlot = async () => (await node.slot('finalized')) + ABOVE_FINAL;

  /** The newest block at or below a slot. */
  async function newestUpTo(slot: number): Promise<RpcHead> {
    for (const back of SEARCHED_BACK) {
      const newest = (await node.slotsWithBlocks(Math.max(0, slot - back), slot)).at(-1);
      if (newest !== undefined) return (await node.head(newest)) ?? node.fail('the newest block is gone again');
    }
    return node.fail(`the node has no block at or below slot ${String(slot)}`);
  }

  const tip = async (): Promise<BlockHead> => headOf(await newestUpTo(await lastSlot()));

  /** For a slot without a block, the head is that of the block before. */
  async function headAt(height: number): Promise<BlockHead | null> {
    if (height > (await lastSlot()) || height > (await node.slot('confirmed'))) return null;
    return headOf(await newestUpTo(height));
  }

  const isCanonical = async (ref: BlockRef): Promise<boolean> => (await node.head(ref.height))?.hash === ref.hash;

  const inTurn = createLimiter(PARALLEL);
  const prefetch = createPrefetch(node);

  async function next(cursor: BlockRef): Promise<Next> {
    const last = await lastSlot();
    const slots = await slotsAfter(node, cursor.height, last);
    const [slot] = slots;
    if (slot === undefined) return nothingAfter(cursor);
    const block =
      (await prefetch.take(slots.slice(0, PARALLEL))) ?? node.fail(`the block of slot ${String(slot)} is gone again`);
    if (block.parentHash === cursor.hash) {
      // The newest listed slot, or the newest final one if there are more.
      const tipHeight = Math.max(slots.at(-1) ?? slot, last - ABOVE_FINAL);
      return { kind: 'block', block: transfersOf(block), tipHeight };
    }
    // Prefetched blocks may belong to an abandoned branch.
    prefetch.clear();
    if (block.parentSlot > cursor.height) node.fail(`the node has lost the block of slot ${String(block.parentSlot)}`);
    if ((await node.block(slot))?.parentHash === cursor.hash) node.fail('the chain changed meanwhile');
    return reorganised();
  }

  function transfersOf({ transactions, ...head }: RpcBlock): ChainBlock {
    return { ...headOf(head), transfers: decodeBlock(transactions, assets), signed: signedOf(transactions) };
  }

  /** For catching up. Limits the blocks in flight over all callers, because each is several megabytes. */
  async function following(height: number, count: number): Promise<readonly ChainBlock[]> {
    const slots = await node.slotsWithBlocks(height, height + count - 1);
    return Promise.all(
      slots.map((slot) =>
        inTurn(async () => transfersOf((await node.block(slot)) ?? node.fail(`slot ${String(slot)} has no block now`))),
      ),
    );
  }

  async function nothingAfter(cursor: BlockRef): Promise<Next> {
    if ((await node.slot('confirmed')) < cursor.height)
      node.fail(`the node lags: block ${String(cursor.height)} was read already`);
    const head = await node.head(cursor.height);
    return head?.hash === cursor.hash ? { kind: 'tip', tip: headOf(head) } : reorganised();
  }

  /** A reorganisation makes the observer orphan deposits, so it is not accepted from a node on another chain. */
  async function reorganised(): Promise<Next> {
    await assertChain();
    return { kind: 'reorganised' };
  }

  return { tip, headAt, isCanonical, next, following, ...createTransactionFinder(node) };
}

/** The next slots with blocks; searches further after a long gap. */
async function slotsAfter(node: SolanaNode, height: number, last: number): Promise<readonly number[]> {
  for (let first = height + 1, many = SLOTS; first <= last; first += many, many = MANY_SLOTS) {
    const slots = await node.slotsWithBlocks(first, Math.min(last, first + many - 1));
    if (slots.length > 0) return slots;
  }
  return [];
}

/** Fetches the blocks of the given slots in the background and returns that of the first one. */
function createPrefetch(node: SolanaNode) {
  const fetching = new Map<number, Promise<RpcBlock | null>>();

  function take(slots: readonly number[]): Promise<RpcBlock | null> {
    for (const slot of fetching.keys()) if (!slots.includes(slot)) fetching.delete(slot);
    for (const slot of slots) {
      if (fetching.has(slot)) continue;
      const block = node.block(slot);
      // Also handles the rejection, which `take` reports again when the block is needed.
      block.catch(() => fetching.delete(slot));
      fetching.set(slot, block);
    }
    const first = slots[0] ?? 0;
    const block = fetching.get(first) ?? node.block(first);
    fetching.delete(first);
    return block;
  }

  return { take, clear: () => fetching.clear() };
}

/** Runs at most `limit` tasks at once; the others wait in order. */
function createLimiter(limit: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Value>(work: () => Promise<Value>): Promise<Value> => {
    if (running >= limit) await new Promise<void>((go) => waiting.push(go));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
