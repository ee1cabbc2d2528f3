// Watches one network for deposits: applies its blocks one by one and, at the tip, the mempool and the time-outs.

import type { ChainAdapter } from '../chain/adapter.ts';
import type { Transfer } from '../chain/blocks.ts';
import { readCursor, readRememberedBlocks, startCursor, type Cursor } from '../database/queries/chain/chain-cursor.ts';
import { findLostDeposits, type ConflictedDeposit } from '../database/queries/chain/conflicts.ts';
import { query } from '../database/connection.ts';
import { inTransaction, type Chain, type Deps } from '../domain/deps.ts';
import { applyConflicts } from '../domain/payments/apply-conflicts.ts';
import { applyBlock, applyMempool, applyRollback, applyTimeouts } from '../domain/payments/apply-observation.ts';
import type { Worker } from '../loop.ts';
import { traced } from '../tracing.ts';
import { earlierTime } from '../values/earlier-time.ts';
import { requireQuorumForLargeDeposits } from './require-quorum.ts';
import { createPrefetch } from './prefetch-blocks.ts';

/** `processNext` applies one block or, at the tip, checks for conflicts, waiting transactions and time-outs. */
export function createDepositWatcher(deps: Deps, chain: Chain): Worker {
  const { adapter } = chain;
  const { network } = adapter;
  const readNext = createPrefetch(deps, adapter);
  /** The block at which lost deposits were last checked for conflicts. */
  let checkedAt = '';
  const watchMempool = createMempoolWatch(deps, adapter);
  /** Where the block applied last has left the cursor. It may be moved by others: whatever follows checks that. */
  let reached: Cursor | null = null;

  return {
    name: `watch-deposits ${network}`,
    async processNext() {
      // Once the tip is reached, everything sent before this moment has been seen.
      const startedAt = deps.clock.now();
      const cursor = reached ?? (await openCursor(deps, adapter));
      reached = null;
      const next = await readNext(cursor);
      if (next.kind === 'block') {
        const { block, tipHeight } = next;
        await requireQuorumForLargeDeposits(deps, chain, block);
        const apply = () => applyBlock(deps, network, block, tipHeight);
        if ((await traced('apply block', 'root', { network, height: block.height }, apply)) === 'applied')
          reached = {
            hash: block.hash,
            height: block.height,
            blockTime: earlierTime(block.time, startedAt),
            tipHeight,
          };
        return true;
      }
      if (next.kind === 'reorganised') {
        await rollBack(deps, adapter, cursor);
        return true;
      }
      if (checkedAt !== cursor.hash) {
        await watchConflicts(deps, adapter, cursor);
        checkedAt = cursor.hash;
      }
      await watchMempool(cursor);
      // A transaction mined between the two reads was in neither: read again before anything times out.
      if ((await adapter.tip()).hash !== cursor.hash) return true;
      // A block's time may lie in the future (two hours on Bitcoin), where nothing can have been seen yet.
      const seenUntil = adapter.minesOnDemand ? startedAt : earlierTime(cursor.blockTime, startedAt);
      return (await applyTimeouts(deps, network, cursor, seenUntil)) > 0;
    },
  };
}

/**
 * The network's cursor. A network that was never watched starts at its tip, because no address has been issued on it
 * yet. Also called before the first address is issued, by any process. If two start at once, the first one's block
 * counts.
 */
export async function openCursor(deps: Deps, adapter: ChainAdapter): Promise<Cursor> {
  const stored = await readCursor(deps.db.em, adapter.network);
  if (stored) return stored;
  const { hash, height, time } = await adapter.tip();
  const cursor = await inTransaction(deps, (em) =>
    startCursor(em, adapter.network, {
      ...{ hash, height, tipHeight: height },
      blockTime: earlierTime(time, deps.clock.now()),
    }),
  );
  deps.log.info({ network: adapter.network, height: cursor.height }, 'watching from here');
  return cursor;
}

/**
 * Rolls back to the newest block that the cursor's branch and the canonical chain have in common. If not even the
 * oldest remembered block is canonical, reading restarts just below it, or at the tip if the chain is shorter (a node
 * restored from a backup). A development chain in that state was recreated and is short: it is read from the start,
 * because it may already contain payments.
 */
async function rollBack(deps: Deps, adapter: ChainAdapter, cursor: Cursor): Promise<void> {
  const remembered = await readRememberedBlocks(deps.db.em, adapter.network);
  let oldest = cursor.height;
  for (const block of remembered) {
    oldest = Math.min(oldest, block.height);
    if (block.hash === cursor.hash) continue;
    const head = await adapter.headAt(block.height);
    if (head?.hash !== block.hash) continue;
    deps.log.warn({ network: adapter.network, from: cursor.height, to: head.height }, 'the chain was reorganised');
    await applyRollback(deps, adapter.network, cursor, head);
    return;
  }
  const tip = await adapter.tip();
  const height = adapter.minesOnDemand ? 0 : Math.max(0, Math.min(oldest - 1, tip.height));
  const head = await adapter.headAt(height);
  if (!head) return;
  deps.log.warn({ network: adapter.network, from: cursor.height, to: head.height }, 'the chain was replaced');
  await applyRollback(deps, adapter.network, cursor, head);
}

/**
 * Finds deposits that left the chain and whose transactions now conflict with mined ones. Only at the tip, because by
 * then transactions that merely moved to another block have been seen; and once per block, because only a block changes
 * this.
 */
async function watchConflicts(deps: Deps, adapter: ChainAdapter, cursor: Cursor): Promise<void> {
  const { network } = adapter;
  const conflicting: ConflictedDeposit[] = [];
  for (const lost of await findLostDeposits(deps.db.em, network)) {
    const height = await adapter.conflictAt(lost, cursor.height);
    if (height !== null) conflicting.push({ id: lost.id, height });
  }
  // The answers came one after the other, so they count only if the chain did not change meanwhile.
  if (conflicting.length === 0 || !(await adapter.isCanonical(cursor))) return;
  await applyConflicts(deps, network, cursor, conflicting);
}

/** Applies waiting transactions, and those that have vanished from the mempool. */
function createMempoolWatch(deps: Deps, adapter: ChainAdapter): (cursor: Cursor) => Promise<void> {
  const { network } = adapter;
  /** The waiting transactions whose signers were already checked. */
  let checked = new Set<string>();
  return async (cursor) => {
    const { transfers, signed } = await adapter.mempool();
    const fresh = signed.filter(({ txHash }) => !checked.has(txHash));
    const waiting = await query<{ id: string; txHash: string }>(
      deps.db.em,
      `select id, tx_hash as "txHash" from deposit where network = $1 and status = 'PENDING' and block_height is null`,
      [network],
    );
    if (transfers.length === 0 && waiting.length === 0 && fresh.length === 0) return;
    const vanished = await findVanished(adapter, { waiting, transfers, cursor });
    const observed = await applyMempool(deps, network, cursor, transfers, vanished, fresh);
    if (observed === 'applied') checked = new Set(signed.map(({ txHash }) => txHash));
  };
}

interface Waiting {
  readonly waiting: readonly { readonly id: string; readonly txHash: string }[];
  readonly transfers: readonly Transfer[];
  readonly cursor: Cursor;
}

async function findVanished(adapter: ChainAdapter, { waiting, transfers, cursor }: Waiting): Promise<string[]> {
  const present = new Set(transfers.map(({ txHash }) => txHash));
  const vanished: string[] = [];
  for (const { id, txHash } of waiting) {
    if (present.has(txHash)) continue;
    const state = await adapter.txState(txHash);
    // If its block is still to be read, it will be found there. In a block already read, it paid us nothing.
    const isStillToRead = state.kind === 'mined' && state.block.height > cursor.height;
    if (state.kind !== 'mempool' && !isStillToRead) vanished.push(id);
  }
  return vanished;
}
