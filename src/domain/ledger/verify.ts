// Holds the book against its own rules, in one snapshot, while everything runs.

import { IsolationLevel } from '@mikro-orm/core';
import { findLedgerFaults, LEDGER_CHECKS } from '../../database/queries/ledger/verify-ledger.ts';
import type { Database } from '../../database/connection.ts';

/** What was checked, and the first exception to each rule that does not hold. */
export interface LedgerReport {
  readonly checks: readonly string[];
  readonly faults: readonly { readonly name: string; readonly fault: string }[];
}

/** Checks the book. */
export async function verifyLedger(db: Database): Promise<LedgerReport> {
  const isolationLevel = IsolationLevel.REPEATABLE_READ;
  const faults = await db.em.fork().transactional((em) => findLedgerFaults(em), { isolationLevel, readOnly: true });
  return { checks: LEDGER_CHECKS.map(({ name }) => name), faults };
}
