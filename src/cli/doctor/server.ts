// Checks the database's server: that it is reached, writes, and has a schema that fits.

import { requireFitting, SchemaMismatch } from '../../database/schema-version.ts';
import type { Database } from '../../database/connection.ts';
import type { ServerSettings } from '../../database/queries/server/settings.ts';
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
