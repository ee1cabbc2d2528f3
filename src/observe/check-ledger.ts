// Holds the book against its own rules while everything runs, and says what does not hold.

import type { Deps } from '../domain/deps.ts';
import { verifyLedger } from '../domain/ledger/verify.ts';
import type { Worker } from '../loop.ts';

/** Makes the checker. `onFaults` is told after each round how many rules do not hold. */
export function createLedgerCheck(
  deps: Pick<Deps, 'db' | 'log'>,
  { onFaults }: { onFaults?: (count: number) => void },
): Worker {
  return {
    name: 'check-ledger',
    async processNext() {
      const { faults } = await verifyLedger(deps.db);
      onFaults?.(faults.length);
      for (const { name, fault } of faults) deps.log.error({ rule: name, fault }, 'the book breaks one of its rules');
      return false;
    },
  };
}
