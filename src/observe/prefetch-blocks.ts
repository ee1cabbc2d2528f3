// Speeds up a watcher that is far behind: fetches the coming blocks in batches and returns them one by one in order.
// Near the tip, it reads single blocks.

import type { ChainAdapter } from '../chain/adapter.ts';
import type { BlockRef, ChainBlock, Next } from '../chain/blocks.ts';
import type { Deps } from '../domain/deps.ts';

/** Blocks per batch, and the most batches in flight. */
const BATCH_BLOCKS = 8;
const MAX_BATCHES = 4;
/** Blocks nearer to the tip than this may still be reorganised, so they are read one by one. */
const SAFE_DEPTH = 64;
const LOG_EVERY_MS = 10_000;

/** Makes a faster `adapter.next` with the same results. */
export function createPrefetch(
  deps: Pick<Deps, 'log'>,
  adapter: ChainAdapter,
  now = () => performance.now(),
): (cursor: BlockRef) => Promise<Next> {
  /** In order of height. A failed batch is null: its blocks are then read one by one, where the failure shows. */
  let batches: { readonly from: number; readonly blocks: Promise<readonly ChainBlock[] | null> }[] = [];
  let tipHeight = 0;
  const logProgress = createProgressLog(deps, adapter.network, now);

  function fetchAhead(height: number): void {
    const { following } = adapter;
    if (!following) return;
    let from = Math.max(height, (batches.at(-1)?.from ?? -Infinity) + BATCH_BLOCKS);
    for (; batches.length < MAX_BATCHES && from + BATCH_BLOCKS <= tipHeight - SAFE_DEPTH; from += BATCH_BLOCKS)
      batches.push({ from, blocks: following(from, BATCH_BLOCKS, tipHeight).catch(() => null) });
  }

  /**
   * The fetched block after the cursor. If it does not follow the cursor, everything fetched is discarded. Since
   * heights may have no block, it can be in a later batch than the first.
   */
  async function takeFetched(cursor: BlockRef): Promise<ChainBlock | null> {
    batches = batches.filter(({ from }) => from + BATCH_BLOCKS > cursor.height + 1);
    if ((batches[0]?.from ?? Infinity) > cursor.height + 1) return null;
    for (const batch of batches) {
      const blocks = await batch.blocks;
      const block = blocks?.find((one) => one.height > cursor.height);
      if (block?.parentHash === cursor.hash) return block;
      if (blocks !== null && !block) continue;
      batches = [];
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
      logProgress(next.block.height, tipHeight);
    }
    return next;
  };
}

/** Logs the progress of a watcher that is far behind, every ten seconds. */
function createProgressLog({ log }: Pick<Deps, 'log'>, network: string, now: () => number) {
  let since = { atMs: now(), height: 0 };
  return (height: number, tipHeight: number) => {
    const nowMs = now();
    if (since.height === 0 || tipHeight - height <= SAFE_DEPTH) since = { atMs: nowMs, height };
    const seconds = (nowMs - since.atMs) / 1_000;
    if (seconds * 1_000 < LOG_EVERY_MS) return;
    const blocksPerSecond = (height - since.height) / seconds;
    since = { atMs: nowMs, height };
    const secondsLeft = blocksPerSecond > 0 ? Math.round((tipHeight - height) / blocksPerSecond) : null;
    const rate = Math.round(blocksPerSecond * 10) / 10;
    const fields = { height, tipHeight, blocksBehind: tipHeight - height, blocksPerSecond: rate, secondsLeft };
    log.info({ network, ...fields }, 'catching up with the chain');
  };
}
