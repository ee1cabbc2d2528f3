// Checks the book as it grows: what is new since the last seal each time, and the whole of it once a week. One process
// checks at a time, for all of them.

import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '../../database/connection.ts';
import {
  lockCheckpoint,
  readCheckpoint,
  readSnapshot,
  saveCheckpoint,
  sealPostings,
  type BookSnapshot,
  type Checkpoint,
} from '../../database/queries/ledger/checkpoint.ts';
import { readCheckScope } from '../../database/queries/ledger/check-scope.ts';
import { findRecentFaults } from '../../database/queries/ledger/recent-checks.ts';
import { findLedgerFaults, type LedgerFault } from '../../database/queries/ledger/verify-ledger.ts';
import { hasSqlState } from '../../database/sql-state.ts';
import type { Deps } from '../deps.ts';

export interface BookCheck {
  /** What the newest check found, whichever process made it. */
  readonly faults: readonly LedgerFault[];
  /** What was checked now: the whole book, what is new in it, or nothing, because another process checks. */
  readonly checked: 'WHOLE' | 'RECENT' | null;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export interface BookCheckOptions {
  /** Nothing is checked again within this time, whichever process checked it. */
  readonly everyMs?: number;
  /** The whole book is checked again after this time. */
  readonly wholeEveryMs?: number;
  /** The largest number of new postings that are checked by themselves. */
  readonly mostRecent?: number;
}

/** A little less than the loop's pause, so that it does not skip every second turn. */
const EVERY_MS = 55_000;
const WHOLE_EVERY_MS = 7 * 24 * HOUR_MS;
/** While it has a fault, or too much is new, the whole book is checked this often. */
const WHOLE_AGAIN_MS = HOUR_MS;
const MOST_RECENT = 50_000;
/** Rows whose ids are this much older than their commit, or than our clock, are not missed. */
const MARGIN_MS = 5 * MINUTE_MS;
/** PostgreSQL's code for a row that has changed since the snapshot. */
const SERIALIZATION_FAILURE = '40001';

/**
 * Checks what is due. The seal moves on only over what was found good, so a fault is found again until it is mended,
 * and nothing behind the seal is read again before the next check of the whole book.
 *
 * A posting's id is older than its commit. The place of a seal is therefore chosen one check ahead: the newest posting
 * that the snapshot sees, and the transactions that might still commit lower ones. A posting is inserted by a
 * transaction that has already locked rows, so it is one of these.
 */
export async function checkBook(deps: Pick<Deps, 'db' | 'clock'>, options: BookCheckOptions = {}): Promise<BookCheck> {
  const isolationLevel = IsolationLevel.REPEATABLE_READ;
  try {
    return await deps.db.em
      .fork()
      .transactional((em) => checkInSnapshot(em, deps.clock.now(), options), { isolationLevel });
  } catch (error) {
    if (!hasSqlState(error, SERIALIZATION_FAILURE)) throw error;
    // Another process checked between our snapshot and our lock.
    return { faults: (await readCheckpoint(deps.db.em)).faults, checked: null };
  }
}

async function checkInSnapshot(
  em: EntityManager,
  now: Date,
  { everyMs = EVERY_MS, wholeEveryMs = WHOLE_EVERY_MS, mostRecent = MOST_RECENT }: BookCheckOptions,
): Promise<BookCheck> {
  const last = await lockCheckpoint(em);
  if (!last) return { faults: (await readCheckpoint(em)).faults, checked: null };
  const since = (at: Date | null) => (at === null ? Infinity : now.getTime() - at.getTime());
  if (since(last.checkedAt) < everyMs) return { faults: last.faults, checked: null };
  const snapshot = await readSnapshot(em, last.postingId, mostRecent + 1);
  const isTooMuch = snapshot.unsealed > mostRecent;
  const place = placeOf(last, snapshot, now);
  // A large book that has no seal yet is checked next time, when it can be sealed with it.
  if (isTooMuch && last.next === null) {
    await saveCheckpoint(em, { ...last, next: place });
    return { faults: last.faults, checked: null };
  }
  const wholeAfterMs = isTooMuch || last.faults.length > 0 ? Math.min(WHOLE_AGAIN_MS, wholeEveryMs) : wholeEveryMs;
  const isWhole = since(last.wholeAt) >= wholeAfterMs;
  if (isTooMuch && !isWhole) return { faults: last.faults, checked: null };
  const faults = isWhole ? await findLedgerFaults(em) : await findRecentFaults(em, await readCheckScope(em, last));
  const checked = { ...last, next: place, checkedAt: now, wholeAt: isWhole ? now : last.wholeAt, faults };
  await saveCheckpoint(em, faults.length === 0 ? await seal(em, checked, snapshot, isWhole) : checked);
  return { faults, checked: isWhole ? 'WHOLE' : 'RECENT' };
}

/**
 * The place of the next seal: the chosen one, unless that is of another cluster, whose transactions count otherwise.
 */
function placeOf({ next }: Checkpoint, { lastPosting, xmax }: BookSnapshot, now: Date) {
  if (next !== null && next.xmax <= xmax) return next;
  return { postingId: lastPosting, xmax, horizon: new Date(now.getTime() - MARGIN_MS) };
}

/** Moves the seal to its place, if all of it is final, and chooses the next one. */
async function seal(
  em: EntityManager,
  checked: Checkpoint,
  snapshot: BookSnapshot,
  isWhole: boolean,
): Promise<Checkpoint> {
  const { next, postingId, checkedAt } = checked;
  if (next === null || checkedAt === null || snapshot.xmin < next.xmax) return checked;
  await sealPostings(em, isWhole ? '0' : postingId, next.postingId);
  const sealed = { ...checked, postingId: next.postingId, horizon: next.horizon, next: null };
  return { ...sealed, next: placeOf(sealed, snapshot, checkedAt) };
}
