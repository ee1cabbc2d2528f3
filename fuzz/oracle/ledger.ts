// Checks the ledger at the end of a run with the program of `npm run ledger:verify`.

import { setTimeout as rest } from 'node:timers/promises';
import { findLedgerFault } from '../../chaos/invariants/ledger.ts';
import type { System } from '../state/environment.ts';

/** The time in which work still under way at the last answer settles by itself. */
const SETTLED_WITHIN_MS = 60_000;

/** The fault of the ledger once everything is settled; empty if there is none. */
export async function ledgerFault(system: System): Promise<string[]> {
  const end = performance.now() + SETTLED_WITHIN_MS;
  for (;;) {
    const fault = await findLedgerFault(system);
    if (fault === null) return [];
    if (performance.now() > end) return [`the ledger is wrong:\n${fault}`];
    await rest(1_000);
  }
}
