// Regularly compares the ledger's custody balances with the chain. A difference seen twice is booked to suspense and
// logged.

import { rememberStrays, resolveDifferences } from '../database/queries/ledger/custody.ts';
import { compareCustody, type CustodyComparison, type CustodyLine } from '../domain/ledger/reconciliation.ts';
import type { Chain, Deps } from '../domain/deps.ts';
import { bookDifference } from '../domain/ledger/suspense.ts';
import type { Worker } from '../loop.ts';

export interface ReconcilerOptions {
  /** The time between two comparisons. */
  readonly everyMs: number;
  /** How many closed and idle addresses each comparison includes, slice by slice. */
  readonly sliceSize?: number;
  /** Called after each comparison with an asset's unexplained difference: chain minus ledger, in base units. */
  readonly onDifference?: (network: string, currency: string, units: bigint) => void;
}

/** Some 60 requests to the node per asset; at one comparison every five minutes, 288,000 addresses a day. */
const SLICE_SIZE = 1_000;
/** A difference that stays unexplained is logged again after this long. */
const LOG_AGAIN_AFTER_MS = 60 * 60_000;

/**
 * Makes the reconciler of one network. Several may run; a difference is booked only once. Throws `ChainUnavailable` if
 * the node does not answer. If ledger and chain cannot be compared at this moment, it tries again in the next round.
 */
export function createReconciler(
  deps: Deps,
  chain: Chain,
  { everyMs, sliceSize = SLICE_SIZE, onDifference }: ReconcilerOptions,
): Worker {
  const { adapter } = chain;
  const { network } = adapter;
  const suspected = new Map<string, bigint>();
  const loggedAt = new Map<string, number>();
  let comparedAt = -Infinity;
  // Kept only in memory: after a restart, it begins with the first address again.
  let after = '';

  return {
    name: `reconcile-balances ${network}`,
    async processNext() {
      if (performance.now() - comparedAt < everyMs) return false;
      const comparison = await compareCustody(deps.db, adapter, { after, limit: sliceSize });
      if (!comparison) return false;
      comparedAt = performance.now();
      const { em } = deps.db;
      await rememberStrays(em, network, comparison.strays);
      after = comparison.next ?? '';
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
