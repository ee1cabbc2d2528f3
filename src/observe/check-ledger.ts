// Checks the ledger's own rules while the gateway runs, and logs the ones that are broken.

import type { Deps } from '../domain/deps.ts';
import { checkBook } from '../domain/ledger/check-book.ts';
import type { Worker } from '../loop.ts';

/** Calls `onFaults` after each round with the number of broken rules that the newest check found. */
export function createLedgerCheck(
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  { onFaults }: { onFaults?: (count: number) => void },
): Worker {
  return {
    name: 'check-ledger',
    async processNext() {
      const { faults, checked } = await checkBook(deps);
      onFaults?.(faults.length);
      if (checked === null) return false;
      for (const { name, fault } of faults) deps.log.error({ rule: name, fault }, 'the ledger breaks one of its rules');
      return false;
    },
  };
}
