// Applies what the chain and the clock do to payments. Each observation is one transaction that begins by locking the
// network's cursor at the block that was seen, so two watchers of one network take turns, and the second finds it
// moved.

import type { BlockHead, BlockRef, ChainBlock, Signed, Transfer } from '../../chain/blocks.ts';
import { lockCursorAt, moveCursor } from '../../database/queries/chain/chain-cursor.ts';
import { restoreOrphanedHeights } from '../../database/queries/chain/conflicts.ts';
import { findMatured, findTimedOut } from '../../database/queries/payments/find-payments.ts';
import { findOwnKeys } from '../../database/queries/chain/unknown-transactions.ts';
import { readAgain } from '../../database/queries/ledger/custody-readings.ts';
import { changeHoldingsAt, type AddressChange } from '../../database/queries/ledger/holdings.ts';
import { query, type EntityManager } from '../../database/connection.ts';
import { NETWORKS, type Network } from '../../values/assets.ts';
import { earlierTime } from '../../values/earlier-time.ts';
import { recordFunding, reverseFunding } from '../ledger/operator-funding.ts';
import { inTransaction, type Deps } from '../deps.ts';
import { recordDeposits } from './record-deposits.ts';
import { settlePayments } from './settle.ts';
import { recoverCommand, witness } from '../witness/witness.ts';

/** Whether an observation was applied, or another watcher moved the cursor so that it must be read again. */
export type ObservationResult = 'applied' | 'outdated';

/** Applies the block after the cursor: its deposits, the cursor's move, and what becomes final at this height. */
export async function applyBlock(
  deps: Deps,
  network: Network,
  block: ChainBlock,
  tipHeight: number,
): Promise<ObservationResult> {
  const { signed = [], transfers } = block;
  let unknown: ReadonlySet<string> = new Set();
  const observed = await applyObservation(deps, network, async (em) => {
    const now = deps.clock.now();
    const to = { hash: block.hash, height: block.height, blockTime: earlierTime(block.time, now), tipHeight };
    if (!(await moveCursor(em, network, block.parentHash, to))) return null;
    unknown = await witness(deps, em, network, { signed, transfers, block });
    const { touched, others } = await recordDeposits(deps, em, network, transfers, block);
    const moved = await recordFunding(em, network, others, block, now);
    const matured = await findMatured(em, network, block.height);
    return { paymentIds: [...touched, ...matured], height: block.height, moved };
  });
  if (observed === 'applied') logUnknown(deps, network, unknown);
  return observed;
}

/**
 * Applies a canonical block at or below the cursor `at` again, to record what was left out when it was first read:
 * money that was not known to be ours, or was not explained.
 */
export async function applyAgain(
  deps: Deps,
  network: Network,
  at: BlockRef,
  block: ChainBlock,
): Promise<ObservationResult> {
  const { signed = [], transfers } = block;
  return applyObservation(deps, network, async (em) => {
    if (!(await lockCursorAt(em, network, at.hash))) return null;
    await witness(deps, em, network, { signed, transfers, block });
    const { touched, others } = await recordDeposits(deps, em, network, transfers, block);
    const moved = await recordFunding(em, network, others, block, deps.clock.now());
    const keys = [...new Set(transfers.map(({ addressKey }) => addressKey))];
    await readAgain(em, network, await findOwnKeys(em, NETWORKS[network], keys));
    return { paymentIds: touched, height: at.height, moved };
  });
}

function logUnknown({ log }: Deps, network: Network, unknown: ReadonlySet<string>): void {
  if (unknown.size === 0) return;
  const fields = { network, txHashes: [...unknown].slice(0, 10), command: recoverCommand(network) };
  log.error(fields, 'signing is halted: transactions were signed with our keys that the book lacks');
}

/** Applies a reorganisation: deposits above the common ancestor are orphaned, not deleted, and may come back. */
export async function applyRollback(
  deps: Deps,
  network: Network,
  from: BlockRef,
  ancestor: BlockHead,
): Promise<ObservationResult> {
  return applyObservation(deps, network, async (em) => {
    const { hash, height, time } = ancestor;
    const now = deps.clock.now();
    if (!(await moveCursor(em, network, from.hash, { hash, height, blockTime: earlierTime(time, now) }))) return null;
    const rows = await query<{ id: string }>(
      em,
      `update deposit set status = 'ORPHANED', orphaned_height = block_height, left_height = block_height,
         block_hash = null, block_height = null, block_time = null, gone = false
       where network = $1 and block_height > $2 returning payment_id as id`,
      [network, height],
    );
    await restoreOrphanedHeights(em, network, height);
    const moved = await reverseFunding(em, network, height, now);
    return { paymentIds: rows.map((row) => row.id), height, moved };
  });
}

/**
 * Applies the mempool as seen on top of the block `at`: new deposits, and `vanished` ones, which are in no block and no
 * mempool any more.
 */
export async function applyMempool(
  deps: Deps,
  network: Network,
  at: BlockRef,
  transfers: readonly Transfer[],
  vanished: readonly string[],
  signed: readonly Signed[] = [],
): Promise<ObservationResult> {
  let unknown: ReadonlySet<string> = new Set();
  const observed = await applyObservation(deps, network, async (em) => {
    if (!(await lockCursorAt(em, network, at.hash))) return null;
    unknown = await witness(deps, em, network, { signed, transfers, block: null });
    const { touched } = await recordDeposits(deps, em, network, transfers, null);
    const rows = await query<{ id: string }>(
      em,
      `update deposit set status = 'ORPHANED' where id = any($1) and status = 'PENDING' and block_hash is null
       returning payment_id as id`,
      [vanished],
    );
    return { paymentIds: [...touched, ...rows.map((row) => row.id)], height: at.height };
  });
  if (observed === 'applied') logUnknown(deps, network, unknown);
  return observed;
}

/**
 * Applies the clock: everything sent until `seenUntil` has been seen up to the block `at`, so what is due by then may
 * time out. Returns how many did; 0 if another watcher moved the cursor, perhaps to a branch not read yet.
 */
export async function applyTimeouts(
  deps: Deps,
  network: Network,
  at: BlockRef,
  seenUntil: Date,
  limit = 200,
): Promise<number> {
  // Usually nothing is due, and the cursor need not be locked.
  if ((await findTimedOut(deps.db.em, network, seenUntil, 1)).length === 0) return 0;
  let count = 0;
  await applyObservation(
    deps,
    network,
    async (em) => {
      if (!(await lockCursorAt(em, network, at.hash))) return null;
      const paymentIds = await findTimedOut(em, network, seenUntil, limit);
      count = paymentIds.length;
      return { paymentIds, height: at.height };
    },
    seenUntil,
  );
  return count;
}

interface Outcome {
  readonly paymentIds: readonly string[];
  readonly height: number;
  /** Money that came to addresses without a payment or left them, and can be swept from there. */
  readonly moved?: readonly AddressChange[];
}

/** Locks the cursor, then records what was seen; null if the cursor is elsewhere. */
type Work = (em: EntityManager) => Promise<Outcome | null>;

/** Runs one observation: does the work, which locks the cursor, and settles the payments. */
export async function applyObservation(
  deps: Deps,
  network: Network,
  work: Work,
  seenUntil: Date | null = null,
): Promise<ObservationResult> {
  const recorded = await inTransaction(deps, async (em) => {
    const outcome = await work(em);
    if (!outcome) return null;
    const clock = { now: deps.clock.now(), seenUntil };
    const count = await settlePayments(deps, em, outcome.paymentIds, { network, height: outcome.height, clock });
    await changeHoldingsAt(em, network, outcome.moved ?? []);
    return count;
  });
  if (recorded) deps.signals.events();
  return recorded === null ? 'outdated' : 'applied';
}
