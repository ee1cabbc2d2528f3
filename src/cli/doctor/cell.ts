// Checks that a process is of the cell that its database and its journal are of, and has the addresses of a cell.

import { JournalOfOther, verifyJournalOwner } from '../../custody/witness/journal-cell.ts';
import { readCell, type RecordedCell } from '../../database/queries/deployment.ts';
import type { Examination } from './examination.ts';
import { fault, ok, orOk, warning, type Finding } from './finding.ts';
import { openedOf } from './server.ts';

const named = (cell: number | null) => (cell === null ? 'no cell' : `cell ${String(cell)}`);
const SEE = 'see docs/operations/cells.md';

export async function checkCell(examination: Examination): Promise<Finding[]> {
  const { config, schema } = examination;
  const { db } = openedOf(examination);
  // An older schema has no cells yet.
  const isOlder = schema === null || schema.version < db.steps.length;
  const recorded = isOlder ? null : await readCell(db.em);
  if (config.cell === null && recorded === null) return [ok('none: there is but this database')];
  return orOk(
    [
      judgeMark(config.cell, recorded),
      config.roles.has('signer') ? await judgeJournal(config.journalDir, recorded) : null,
      config.roles.has('api') ? judgeAddresses(config) : null,
    ],
    `${named(config.cell)}, as the database says`,
  );
}

function judgeMark(cell: number | null, recorded: RecordedCell | null): Finding | null {
  if (cell === (recorded?.cell ?? null)) return null;
  if (recorded !== null)
    return fault(
      `the database is of ${named(recorded.cell)}, and CELL says ${named(cell)}`,
      `set CELL=${String(recorded.cell)}, or look at DATABASE_URL`,
    );
  return warning(
    `CELL says ${named(cell)}, and the database is of none yet: the next start makes it that, for good`,
    `before it, stop every process that has no CELL; ${SEE}`,
  );
}

/** A journal of an older run is judged once the database says which cell it is. */
async function judgeJournal(folder: string, recorded: RecordedCell | null): Promise<Finding | null> {
  if (recorded === null) return null;
  try {
    await verifyJournalOwner(folder, recorded);
    return null;
  } catch (error) {
    if (!(error instanceof JournalOfOther)) throw error;
    return fault(error.message, 'let JOURNAL_DIR lead to the folder of this cell, which no other cell has');
  }
}

function judgeAddresses({ baseUrl, payUrl }: Examination['config']): Finding | null {
  if (new URL(baseUrl).host !== new URL(payUrl).host) return null;
  return warning(
    `PAY_URL and BASE_URL are both at ${new URL(baseUrl).host}`,
    `give BASE_URL this cell's own name, and PAY_URL the one that all cells share; ${SEE}`,
  );
}
