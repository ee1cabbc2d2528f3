// Checks the ledger's own rules while the gateway runs, and logs the ones that are broken.

import type { Deps } from '../domain/deps.ts';
import { verifyLedger } from '../domain/ledger/verify.ts';
import type { Worker } from '../loop.ts';

/** Calls `onFaults` after each round with the number of broken rules. */
export function createLedgerCheck(
  deps: Pick<Deps, 'db' | 'log'>,
  { onFaults }: { onFaults?: (count: number) => void },
): Worker {
  return {
    name: 'check-ledger',
    async processNext() {
      const { faults } = await verifyLedger(deps.db);
      onFaults?.(faults.length);
      for (const { name, fault } of faults) deps.log.error({ rule: name, fault }, 'the ledger breaks one of its rules');
      return false;
    },
  };
}
