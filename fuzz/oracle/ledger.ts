// Checks the ledger at the end of a run with the program of `npm run ledger:verify`.

import { setTimeout as rest } from 'node:timers/promises';
import { findLedgerFault } from '../../chaos/invariants/ledger.ts';
import type { System } from '../state/environment.ts';

/** What is under way when the last request is answered settles by itself. */
const SETTLED_WITHIN_MS = 60_000;

/** Nothing, or what does not hold, once all is settled. */
export async function ledgerFault(system: System): Promise<string[]> {
  const end = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const fault = await findLedgerFault(system);
    if (fault === null) return [];
    if (performance.now() > end) return [`the book does not hold:\n${fault}`];
    await rest(1_000);
  }
}
