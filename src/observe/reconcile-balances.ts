// Holds the book against the chain, asset by asset, again and again. What differs twice is recorded, set apart and told.

import { rememberStrays, resolveDifferences } from '../database/queries/ledger/custody.ts';
import { compareCustody, type CustodyComparison, type CustodyLine } from '../domain/ledger/reconciliation.ts';
import type { Chain, Deps } from '../domain/deps.ts';
import { bookDifference } from '../domain/ledger/suspense.ts';
import type { Worker } from '../loop.ts';

export interface ReconcilerOptions {
  /** Between two looks. */
  readonly everyMs: number;
  /** How many of the addresses that are closed and quiet each look takes in, one slice after the other. */
  readonly sliceSize?: number;
  /** Told after each look what of an asset is not explained, in base units: what the chain has more than the book. */
  readonly onDifference?: (network: string, currency: string, units: bigint) => void;
}

/** Some 60 questions to the node for each asset; at a look every five minutes, 288,000 addresses a day. */
const SLICE_SIZE = 1_000;
/** What stays unexplained is told again after so long. */
const SAY_AGAIN_AFTER_MS = 60 * 60_000;

/**
 * Makes the reconciler of one network. Several may run: a difference is booked once. Throws `ChainUnavailable` when the
 * node does not answer; a moment at which the two cannot be compared is passed over, and the next one taken.
 */
export function createReconciler(
  deps: Deps,
  chain: Chain,
  { everyMs, sliceSize = SLICE_SIZE, onDifference }: ReconcilerOptions,
): Worker {
  const { adapter } = chain;
  const { network } = adapter;
  const suspected = new Map<string, bigint>();
  const said = new Map<string, number>();
  let lookedAt = -Infinity;
  // Kept in memory only: a process that starts begins at the first address again.
  let after = '';

  return {
    name: `reconcile-balances ${network}`,
    async processNext() {
      if (performance.now() - lookedAt < everyMs) return false;
      const comparison = await compareCustody(deps.db, adapter, { after, limit: sliceSize });
      if (!comparison) return false;
      lookedAt = performance.now();
      const { em } = deps.db;
      await rememberStrays(em, network, comparison.strays);
      after = comparison.next ?? '';
      for (const line of comparison.lines) {
        const suspense = await lookAt(deps, network, comparison, line, suspected);
        onDifference?.(network, line.currency, line.suspense + line.chain - line.book);
        alarm(deps, network, line.currency, suspense, said);
      }
      await resolveDifferences(em, network, deps.clock.now());
      return false;
    },
  };
}

/** Books a difference that was there at the last look too. Answers what the suspense account holds then. */
async function lookAt(
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

/** Says what is in suspense, until nothing is. */
function alarm(deps: Deps, network: string, currency: string, suspense: bigint, said: Map<string, number>): void {
  if (suspense === 0n) return void said.delete(currency);
  const now = performance.now();
  if (now - (said.get(currency) ?? -Infinity) < SAY_AGAIN_AFTER_MS) return;
  said.set(currency, now);
  deps.log.error({ network, currency, suspense: suspense.toString() }, 'a difference to the chain is not explained');
}
