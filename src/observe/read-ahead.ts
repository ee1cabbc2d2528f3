// Catching up: while a watcher is far behind, the blocks that it will want are fetched many at a time, and handed to it one
// by one, each upon the last. Near the tip it reads by itself.

import type { ChainAdapter } from '../chain/adapter.ts';
import type { BlockRef, ChainBlock, Next } from '../chain/blocks.ts';
import type { Deps } from '../domain/deps.ts';

/** Blocks asked for in one go, and how many goes are under way at once. */
const BLOCKS_AT_ONCE = 8;
const ASKS_AT_ONCE = 4;
/** Blocks nearer to the tip than this may still be replaced, and are read one after the other. */
const SAFE_DEPTH = 64;
const SAY_EVERY_MS = 10_000;

/** Makes `next` of an adapter quick for a watcher that is far behind. Its answers are those of `adapter.next`. */
export function createReadAhead(
  deps: Pick<Deps, 'log'>,
  adapter: ChainAdapter,
  now = () => performance.now(),
): (cursor: BlockRef) => Promise<Next> {
  /** By height; a fetch that failed is forgotten, and its blocks are asked for one by one, where the failure shows. */
  let asks: { readonly from: number; readonly blocks: Promise<readonly ChainBlock[] | null> }[] = [];
  let tipHeight = 0;
  const say = createProgress(deps, adapter.network, now);

  function fetchAhead(height: number): void {
    const { following } = adapter;
    if (!following) return;
    let from = Math.max(height, (asks.at(-1)?.from ?? -Infinity) + BLOCKS_AT_ONCE);
    for (; asks.length < ASKS_AT_ONCE && from + BLOCKS_AT_ONCE <= tipHeight - SAFE_DEPTH; from += BLOCKS_AT_ONCE)
      asks.push({ from, blocks: following(from, BLOCKS_AT_ONCE, tipHeight).catch(() => null) });
  }

  /**
   * The block that was fetched after the cursor, where it follows upon it; everything fetched is dropped otherwise. Where
   * heights have no block, it may be in a later fetch than the first.
   */
  async function takeFetched(cursor: BlockRef): Promise<ChainBlock | null> {
    asks = asks.filter(({ from }) => from + BLOCKS_AT_ONCE > cursor.height + 1);
    if ((asks[0]?.from ?? Infinity) > cursor.height + 1) return null;
    for (const ask of asks) {
      const blocks = await ask.blocks;
      const block = blocks?.find((one) => one.height > cursor.height);
      if (block?.parentHash === cursor.hash) return block;
      if (blocks !== null && !block) continue;
      asks = [];
      return null;
    }
    return null;
  }

  return async (cursor) => {
    const fetched = await takeFetched(cursor);
    fetchAhead(cursor.height + 2);
    const next: Next = fetched ? { kind: 'block', block: fetched, tipHeight } : await adapter.next(cursor);
    if (next.kind === 'block') {
      tipHeight = next.tipHeight;
      say(next.block.height, tipHeight);
    }
    return next;
  };
}

/** Says how far a watcher is that has much to catch up with, every ten seconds. */
function createProgress({ log }: Pick<Deps, 'log'>, network: string, now: () => number) {
  let since = { atMs: now(), height: 0 };
  return (height: number, tipHeight: number) => {
    const nowMs = now();
    if (since.height === 0 || tipHeight - height <= SAFE_DEPTH) since = { atMs: nowMs, height };
    const seconds = (nowMs - since.atMs) / 1_000;
    if (seconds * 1_000 < SAY_EVERY_MS) return;
    const blocksPerSecond = (height - since.height) / seconds;
    since = { atMs: nowMs, height };
    const secondsLeft = blocksPerSecond > 0 ? Math.round((tipHeight - height) / blocksPerSecond) : null;
    const rate = Math.round(blocksPerSecond * 10) / 10;
    const fields = { height, tipHeight, blocksBehind: tipHeight - height, blocksPerSecond: rate, secondsLeft };
    log.info({ network, ...fields }, 'catching up with the chain');
  };
}
