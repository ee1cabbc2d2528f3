// Regularly compares the ledger's custody balances with the chain. A difference seen twice is booked to suspense and
// logged.

import { resolveDifferences } from '../database/queries/ledger/custody.ts';
import { repeatReadings } from '../database/queries/ledger/custody-readings.ts';
import type { ChainAdapter } from '../chain/adapter.ts';
import { compareInSlices, type RoundOfCustody } from '../domain/ledger/read-custody.ts';
import { compareCustody, type CustodyComparison, type CustodyLine } from '../domain/ledger/reconciliation.ts';
import type { Chain, Deps } from '../domain/deps.ts';
import { bookDifference } from '../domain/ledger/suspense.ts';
import type { Worker } from '../loop.ts';

export interface ReconcilerOptions {
  /** The time between two comparisons. */
  readonly everyMs: number;
  /** How many addresses of the pass over all each comparison reads; by default, such that a pass takes a day. */
  readonly sliceSize?: number;
  /** Called after each comparison with an asset's unexplained difference: chain minus ledger, in base units. */
  readonly onDifference?: (network: string, currency: string, units: bigint) => void;
}

/** A pass over all addresses takes at most this long, unless its slices would become too large. */
const PASS_MS = 20 * 60 * 60_000;
/** What fits in the smallest slice is read whole for each comparison; the largest spares the node. */
const SLICE_SIZE = { least: 1_000, most: 5_000 };
/** A difference that stays unexplained is logged again after this long. */
const LOG_AGAIN_AFTER_MS = 60 * 60_000;

/**
 * Makes the reconciler of one network. Several may run; a difference is booked only once. Throws `ChainUnavailable` if
 * the node does not answer. If ledger and chain cannot be compared at this moment, it tries again in the next round.
 */
export function createReconciler(deps: Deps, chain: Chain, options: ReconcilerOptions): Worker {
  const { everyMs, onDifference } = options;
  const { network } = chain.adapter;
  const suspected = new Map<string, bigint>();
  const loggedAt = new Map<string, number>();
  let comparedAt = -Infinity;

  return {
    name: `reconcile-balances ${network}`,
    async processNext() {
      if (performance.now() - comparedAt < everyMs) return false;
      const comparison = await compareNow(deps, chain.adapter, options);
      if (comparison === 'reading') return true;
      if (!comparison) return false;
      comparedAt = performance.now();
      const { em } = deps.db;
      // What is seen for the first time is read once more before it counts.
      if (comparison.lines.some(({ currency, book, chain: held }) => isNew(suspected, currency, held - book)))
        await repeatReadings(em, network, comparison.round);
      for (const line of comparison.lines) {
        const suspense = await checkLine(deps, network, comparison, line, suspected);
        onDifference?.(network, line.currency, line.suspense + line.chain - line.book);
        logSuspense(deps, network, line.currency, suspense, loggedAt);
      }
      await resolveDifferences(em, network, deps.clock.now());
      return false;
    },
  };
}

/** Of networks with outputs, all of them are asked for each time, which needs no readings. */
async function compareNow(
  { db }: Deps,
  adapter: ChainAdapter,
  { everyMs, sliceSize }: ReconcilerOptions,
): Promise<RoundOfCustody | 'reading' | null> {
  if (adapter.model === 'ACCOUNT')
    return compareInSlices(db, adapter, { sliceSize: (addresses) => sliceSize ?? sliceSizeFor(addresses, everyMs) });
  const comparison = await compareCustody(db, adapter);
  return comparison && { ...comparison, round: 0 };
}

/** How many addresses to read for each comparison, so that all of them are read in a pass. */
export function sliceSizeFor(addresses: number, everyMs: number): number {
  const { least, most } = SLICE_SIZE;
  return Math.min(most, Math.max(least, Math.ceil((addresses * everyMs) / PASS_MS)));
}

const isNew = (suspected: ReadonlyMap<string, bigint>, currency: string, difference: bigint): boolean =>
  difference !== 0n && suspected.get(currency) !== difference;

/** Books a difference that was also there last time. Returns the suspense account's balance afterwards. */
async function checkLine(
  deps: Deps,
  network: string,
  { at }: CustodyComparison,
  { currency, balance, book, chain, suspense }: CustodyLine,
  suspected: Map<string, bigint>,
): Promise<bigint> {
  const difference = chain - book;
  const isOld = suspected.get(currency) === difference;
  suspected.set(currency, difference);
  if (difference === 0n || !isOld) return suspense;
  if (!(await bookDifference(deps, { network, currency, book, chain, difference, at, balance }))) return suspense;
  suspected.set(currency, 0n);
  const figures = { book: book.toString(), chain: chain.toString(), difference: difference.toString() };
  deps.log.error({ network, currency, ...figures, block: at }, 'the chain does not hold what the book says');
  return suspense + difference;
}

/** Logs the balance of the suspense account until it is zero. */
function logSuspense(
  deps: Deps,
  network: string,
  currency: string,
  suspense: bigint,
  loggedAt: Map<string, number>,
): void {
  if (suspense === 0n) return void loggedAt.delete(currency);
  const now = performance.now();
  if (now - (loggedAt.get(currency) ?? -Infinity) < LOG_AGAIN_AFTER_MS) return;
  loggedAt.set(currency, now);
  deps.log.error({ network, currency, suspense: suspense.toString() }, 'a difference to the chain is not explained');
}
