// Checks the database's server: that it is reached, writes, has a schema that fits, and is of the cell of this process.

import { pino } from 'pino';
import { JournalOfOther, verifyJournalOwner } from '../../custody/witness/journal-cell.ts';
import { requireFitting, SchemaMismatch } from '../../database/schema-version.ts';
import { connectDatabase, DatabaseUnreachable, type Database } from '../../database/connection.ts';
import { listCells } from '../../database/queries/cells/directory.ts';
import { readCell, type RecordedCell } from '../../database/queries/deployment.ts';
import type { ServerSettings } from '../../database/queries/server/settings.ts';
import { keyCheckOf } from '../../gateway/cells/open-directory.ts';
import { sameDigest } from '../../values/secrets/keys.ts';
import type { Examination } from './examination.ts';
import { fault, ok, orOk, reasonOf, showBytes, warning, type Finding } from './finding.ts';

/** The oldest version that our tests run with. */
const LEAST_MAJOR = 15;

/** The open database and its settings, for checks that are not made without them. */
export function openedOf({ db, server }: Examination): { readonly db: Database; readonly server: ServerSettings } {
  if (db === null || server === null) throw new Error('the database is not open');
  return { db, server };
}

/** A setting in the server's units; 0 if it does not exist there. */
export const numberOf = ({ settings }: ServerSettings, name: string): number => Number(settings.get(name) ?? 0);

export async function checkDatabase({ config, server, unreachable }: Examination): Promise<Finding[]> {
  if (server === null) {
    const found = unreachable ?? 'it cannot be reached';
    const isEmbedded = config.environment === 'sandbox' && config.databaseUrl === null;
    return isEmbedded
      ? [warning(`the sandbox's own is not running: ${found}`, 'start the sandbox, and run this again meanwhile')]
      : [fault(found, 'look at DATABASE_URL, at the server, and at the firewall (docs/operations/network.md)')];
  }
  const { version, major, size, isStandby, settings } = server;
  return orOk(
    [
      isStandby
        ? fault('it is a standby, on which nothing can be written', 'let DATABASE_URL lead to the primary')
        : null,
      !isStandby && settings.get('default_transaction_read_only') === 'on'
        ? fault('transactions are read-only there', 'set default_transaction_read_only = off for the role')
        : null,
      major < LEAST_MAJOR
        ? warning(
            `PostgreSQL ${version} is older than what is tested`,
            `upgrade to PostgreSQL ${String(LEAST_MAJOR)} or newer`,
          )
        : null,
      judgeEncryption(server, config.databasePooler),
    ],
    `PostgreSQL ${version}; ${showBytes(size)}`,
  );
}

/** Behind a pooler, the connection that the server sees is the pooler's. */
function judgeEncryption({ isRemote, isEncrypted }: ServerSettings, isPooled: boolean): Finding | null {
  if (isPooled || !isRemote || isEncrypted) return null;
  return warning(
    'the connection to another machine is not encrypted',
    'add sslmode=verify-full to DATABASE_URL (docs/operations/database.md)',
  );
}

export async function checkSchema(examination: Examination): Promise<Finding[]> {
  const { config, schema } = examination;
  const { db } = openedOf(examination);
  const known = db.steps.length;
  try {
    await requireFitting(db);
  } catch (error) {
    if (!(error instanceof SchemaMismatch)) throw error;
    const found = reasonOf(error).replace(/^DATABASE_URL: the database /, '');
    const isOlder = schema !== null && schema.version < known;
    return isOlder && config.migrateAtStart
      ? [warning(found.replace(/: run npm run migrate$/, ''), 'the next start migrates it; or run npm run migrate')]
      : [fault(found, isOlder ? 'run npm run migrate as the role that may' : 'use the program that fits the database')];
  }
  const version = schema?.version ?? known;
  return [
    ok(
      version === known
        ? `version ${String(known)} fits`
        : `version ${String(version)}, which ${String(known)} may run beside`,
    ),
  ];
}

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
      await judgeDirectory(config.cellDirectory),
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

/** It is only read: a start enters the cell. */
async function judgeDirectory(directory: Examination['config']['cellDirectory']): Promise<Finding | null> {
  if (directory === null) return null;
  const { url, secret } = directory;
  const log = pino({ level: 'silent' });
  try {
    const db = await connectDatabase({ url, variable: 'CELL_DIRECTORY_URL', poolMax: 1, log });
    const cells = await listCells(db.em).finally(() => db.close());
    const other = cells.find(({ keyCheck }) => !sameDigest(keyCheck, keyCheckOf(secret)));
    if (other === undefined) return null;
    return fault(
      `CELL_DIRECTORY_SECRET is another one than that of ${named(other.cell)}`,
      'give all cells the same secret for their directory',
    );
  } catch (error) {
    const reason = error instanceof DatabaseUnreachable ? error.reason : reasonOf(error);
    return fault(`the directory of cells cannot be read: ${reason}`, `look at CELL_DIRECTORY_URL; ${SEE}`);
  }
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
