// Verifies the ledger's invariants for the whole book, in one snapshot, while the gateway runs.

import { IsolationLevel } from '@mikro-orm/core';
import { findLedgerFaults, LEDGER_CHECKS, type LedgerFault } from '../../database/queries/ledger/verify-ledger.ts';
import type { Database } from '../../database/connection.ts';

/** The checks made, and the first violation of each that failed. */
export interface LedgerReport {
  readonly checks: readonly string[];
  readonly faults: readonly LedgerFault[];
}

export async function verifyLedger(db: Database): Promise<LedgerReport> {
  const isolationLevel = IsolationLevel.REPEATABLE_READ;
  const faults = await db.em.fork().transactional((em) => findLedgerFaults(em), { isolationLevel, readOnly: true });
  return { checks: LEDGER_CHECKS.map(({ name }) => name), faults };
}
