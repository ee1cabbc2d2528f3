// Compares custody without reading all addresses each time: what the chain holds at each is remembered, with the sums.
// Before a comparison, those that the book knows to have changed are read again at its block, and of all others a
// slice, so that money which came or went unseen is found in the course of a pass over all.

import { randomUUID } from 'node:crypto';
import type { AccountAdapter } from '../../chain/adapter.ts';
import { StateNotKept } from '../../chain/errors.ts';
import type { Database, EntityManager } from '../../database/connection.ts';
import { readCursor, type Cursor } from '../../database/queries/chain/chain-cursor.ts';
import { findQuiet, rememberStrays } from '../../database/queries/ledger/custody.ts';
import * as progress from '../../database/queries/ledger/custody-progress.ts';
import * as readings from '../../database/queries/ledger/custody-readings.ts';
import { inTransaction } from '../deps.ts';
import { compare, type CustodyComparison } from './reconciliation.ts';

export interface SliceOptions {
  /** How many addresses of the pass over all to read, given how many there were in the last pass. */
  readonly sliceSize: (addresses: number) => number;
}

/** A comparison, and its number: by it its readings are found. */
export type RoundOfCustody = CustodyComparison & { readonly round: number };

/** At most so many open orders are looked at, and so many changed addresses, for one comparison. */
const MOST_OPEN = 1_000;
const MOST_CHANGED = 5_000;

interface Reader {
  readonly db: Database;
  readonly adapter: AccountAdapter;
  readonly claim: progress.Claim;
  readonly progress: progress.CustodyProgress;
}

/** Another process has taken over, or the readings were forgotten. */
const CLAIM_LOST = new Error('the claim on reading custody was lost');

/**
 * Reads the next slice and, once all addresses were read at least once, compares. `reading` while that first pass is
 * not at its end: go on at once. Null if it is not possible now: another process is reading, or the block has gone;
 * what was read stays. Throws `ChainUnavailable` if the node does not answer.
 */
export async function compareInSlices(
  db: Database,
  adapter: AccountAdapter,
  { sliceSize }: SliceOptions,
): Promise<RoundOfCustody | 'reading' | null> {
  const claim = { network: adapter.network, by: randomUUID() };
  const claimed = await progress.claimCustody(db.em, claim);
  if (!claimed) return null;
  const reader = { db, adapter, claim, progress: claimed };
  try {
    const passes = claimed.sliced ? claimed.passes : await readSlice(reader, sliceSize(claimed.addresses));
    return passes === 0 ? 'reading' : await compareRead(reader);
  } catch (error) {
    if (error === CLAIM_LOST || error instanceof StateNotKept) return null;
    throw error;
  } finally {
    await progress.releaseCustody(db.em, claim);
  }
}

/** Reads the next of all addresses, and of the open orders. Returns how often all addresses have been read by then. */
async function readSlice(reader: Reader, size: number): Promise<number> {
  const { db, adapter } = reader;
  const { network } = adapter;
  let { after, passes } = reader.progress;
  const isWhole = after === '' && reader.progress.passes > 0 && reader.progress.addresses <= size;
  for (let left = size, isLast = false; left > 0 && !isLast;) {
    const limit = Math.min(adapter.balancesAtOnce, left);
    const keys = await progress.findAddresses(db.em, adapter, after, limit);
    isLast = keys.length < limit;
    after = keys.at(-1) ?? after;
    left -= limit;
    const place = { after, count: keys.length, isLast };
    await readAtCursor(reader, keys, (em) => progress.advancePass(em, network, place));
    if (isLast) passes += 1;
  }
  if (passes === 0) return passes;
  // Where all addresses were just read, the open orders are among them.
  if (!isWhole) await readOpenOrders(reader);
  await progress.endSlice(db.em, network);
  return passes;
}

/** Reads the open orders that expire next after the last ones read, or begins again with the first. */
async function readOpenOrders(reader: Reader): Promise<void> {
  const { db, adapter } = reader;
  let place: progress.OpenPlace = reader.progress.open;
  for (let left = MOST_OPEN; left > 0; left -= adapter.balancesAtOnce) {
    const limit = Math.min(adapter.balancesAtOnce, left);
    const orders = await progress.findOpenOrders(db.em, adapter.network, place, limit);
    const isLast = orders.length < limit;
    place = isLast ? { at: null, id: '' } : (orders.at(-1) ?? place);
    const keys = orders.map(({ key }) => key);
    await readAtCursor(reader, keys, (em) => progress.moveOpenPlace(em, adapter.network, place));
    if (isLast) return;
  }
}

type Balance = readings.Readings['balances'][number];
type Step = (em: EntityManager) => Promise<void>;

/** Reads some addresses after the block at which the watcher is now, and takes a step in the same transaction. */
async function readAtCursor(reader: Reader, keys: readonly string[], step: Step): Promise<void> {
  const cursor = await readCursor(reader.db.em, reader.adapter.network);
  if (cursor) await readAt(reader, cursor, keys, step);
}

/** Reads some addresses after a block. Throws `StateNotKept` if the block is not on the chain any more. */
async function readAt(
  { db, adapter, claim, progress: { round } }: Reader,
  at: Cursor,
  keys: readonly string[],
  step?: Step,
) {
  const { network } = adapter;
  const balances: Balance[] = [];
  for (const currency of keys.length > 0 ? adapter.contracts.keys() : [])
    for (const [key, units] of await adapter.balances(keys, currency, at.height))
      balances.push({ key, currency, units });
  if (keys.length > 0 && !(await adapter.isCanonical(at))) throw new StateNotKept(network, at.height);
  const holding = [...new Set(balances.filter(({ units }) => units > 0n).map(({ key }) => key))];
  await inTransaction({ db }, async (em) => {
    if (!(await progress.keepClaim(em, claim))) throw CLAIM_LOST;
    await readings.storeReadings(em, { network, round, at, keys, balances });
    await rememberStrays(em, network, await findQuiet(em, adapter, holding));
    await step?.(em);
  });
}

/** Reads what has changed after the block at the cursor, and compares the sums. */
async function compareRead(reader: Reader): Promise<RoundOfCustody | null> {
  const { db, adapter, claim } = reader;
  const { network, account } = adapter;
  const { round, height: since } = reader.progress;
  const comparison = await compare(db, adapter, {
    plan: (em, { cursor, doubtful }) =>
      readings.findDueReadings(em, {
        ...{ network, account, since, round, doubtful, at: cursor },
        limit: MOST_CHANGED,
      }),
    read: async (cursor, { keys, complete }) => {
      for (let first = 0; first < keys.length; first += adapter.balancesAtOnce)
        await readAt(reader, cursor, keys.slice(first, first + adapter.balancesAtOnce));
      return complete ? readings.readTotals(db.em, network) : null;
    },
  });
  if (!comparison) return null;
  await inTransaction({ db }, async (em) => {
    if (!(await progress.keepClaim(em, claim))) throw CLAIM_LOST;
    await readings.endComparison(em, network, comparison.at.height);
  });
  return { ...comparison, round };
}
