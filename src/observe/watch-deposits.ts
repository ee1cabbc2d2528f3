// Follows one chain from block to block: what is next, apply it, and so on to the tip; there, the mempool and the
// clock.

import type { ChainAdapter } from '../chain/adapter.ts';
import type { Transfer } from '../chain/blocks.ts';
import { readCursor, readRememberedBlocks, startCursor, type Cursor } from '../database/queries/chain/chain-cursor.ts';
import { findLostDeposits, type ConflictedDeposit } from '../database/queries/chain/conflicts.ts';
import { query } from '../database/connection.ts';
import { inTransaction, type Chain, type Deps } from '../domain/deps.ts';
import { applyConflicts } from '../domain/payments/apply-conflicts.ts';
import { applyBlock, applyMempool, applyRollback, applyTimeouts } from '../domain/payments/apply-observation.ts';
import type { Worker } from '../loop.ts';
import { earlier } from '../values/earlier.ts';
import { requireQuorumForLargeDeposits } from './require-quorum.ts';
import { createReadAhead } from './read-ahead.ts';

/** Makes the watcher of one network. `processNext` reads one block, or at the tip does what is to be done there. */
export function createDepositWatcher(deps: Deps, chain: Chain): Worker {
  const { adapter } = chain;
  const { network } = adapter;
  const readNext = createReadAhead(deps, adapter);
  /** The block on whose branch lost deposits were last asked about. */
  let askedAt = '';
  const watchMempool = createMempoolWatch(deps, adapter);

  return {
    name: `watch-deposits ${network}`,
    async processNext() {
      // Whatever was sent before this moment is seen below, once the tip is reached.
      const startedAt = deps.clock.now();
      const cursor = await openCursor(deps, adapter);
      const next = await readNext(cursor);
      if (next.kind === 'block') {
        await requireQuorumForLargeDeposits(deps, chain, next.block);
        await applyBlock(deps, network, next.block, next.tipHeight);
        return true;
      }
      if (next.kind === 'reorganised') {
        await goBack(deps, adapter, cursor);
        return true;
      }
      if (askedAt !== cursor.hash) {
        await watchDisplaced(deps, adapter, cursor);
        askedAt = cursor.hash;
      }
      await watchMempool(cursor);
      // A transaction mined between the two looks was in neither: look again before anything times out.
      if ((await adapter.tip()).hash !== cursor.hash) return true;
      // A block's producer may date it ahead, Bitcoin's by two hours: what was sent until then is not there to be seen.
      const seenUntil = adapter.minesOnDemand ? startedAt : earlier(cursor.blockTime, startedAt);
      return (await applyTimeouts(deps, network, cursor, seenUntil)) > 0;
    },
  };
}

/**
 * Where a network was read to. One that was never watched begins at its tip: nothing was issued on it yet, so its past
 * is not ours to look at. Called before the first address is issued, too, by whichever process. Of two that begin at
 * once the first one's block counts.
 */
export async function openCursor(deps: Deps, adapter: ChainAdapter): Promise<Cursor> {
  const known = await readCursor(deps.db.em, adapter.network);
  if (known) return known;
  const { hash, height, time } = await adapter.tip();
  const cursor = await inTransaction(deps, (em) =>
    startCursor(em, adapter.network, {
      ...{ hash, height, tipHeight: height },
      blockTime: earlier(time, deps.clock.now()),
    }),
  );
  deps.log.info({ network: adapter.network, height: cursor.height }, 'watching from here');
  return cursor;
}

/**
 * Goes back to the newest block that the cursor's branch and the canonical chain have in common. A chain that lost even
 * the oldest block that we remember is read from below it, or from its tip while it is shorter (a node that was
 * restored from a backup). A development chain that lost it was set up anew, and is short: all of it is read, because
 * somebody may have been paid on it before we looked.
 */
async function goBack(deps: Deps, adapter: ChainAdapter, cursor: Cursor): Promise<void> {
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
 * Deposits that left the chain and whose transactions lost their place to others meanwhile. Asked at the tip only, when
 * those that simply moved to another block were seen there; and once for each block, because the answer is that
 * block's.
 */
async function watchDisplaced(deps: Deps, adapter: ChainAdapter, cursor: Cursor): Promise<void> {
  const { network } = adapter;
  const displaced: ConflictedDeposit[] = [];
  for (const lost of await findLostDeposits(deps.db.em, network)) {
    const height = await adapter.conflictAt(lost, cursor.height);
    if (height !== null) displaced.push({ id: lost.id, height });
  }
  // The answers were given one after the other: they count only if the chain did not change meanwhile.
  if (displaced.length === 0 || !(await adapter.isCanonical(cursor))) return;
  await applyConflicts(deps, network, cursor, displaced);
}

/** What waits to be mined, and what waited and is nowhere any more. */
function createMempoolWatch(deps: Deps, adapter: ChainAdapter): (cursor: Cursor) => Promise<void> {
  const { network } = adapter;
  /** Whose signatures were looked at. */
  let looked = new Set<string>();
  return async (cursor) => {
    const { transfers, signed } = await adapter.mempool();
    const fresh = signed.filter(({ txHash }) => !looked.has(txHash));
    const waiting = await query<{ id: string; txHash: string }>(
      deps.db.em,
      `select id, tx_hash as "txHash" from deposit where network = $1 and status = 'PENDING' and block_height is null`,
      [network],
    );
    if (transfers.length === 0 && waiting.length === 0 && fresh.length === 0) return;
    const vanished = await findVanished(adapter, { waiting, transfers, cursor });
    const observed = await applyMempool(deps, network, cursor, transfers, vanished, fresh);
    if (observed === 'applied') looked = new Set(signed.map(({ txHash }) => txHash));
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
    // One in a block that is read next will be found there; one in a block that was read moved nothing to us.
    const isStillToRead = state.kind === 'mined' && state.block.height > cursor.height;
    if (state.kind !== 'mempool' && !isStillToRead) vanished.push(id);
  }
  return vanished;
}
