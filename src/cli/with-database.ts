// Opens the gateway's database for the operator's tools.

import { pino } from 'pino';
import type { Config } from '../config/config.ts';
import { connectDatabase, type Database } from '../database/connection.ts';
import { readCell } from '../database/queries/deployment.ts';
import { requireFitting } from '../database/schema-version.ts';
import { useCell } from '../values/cells/own-cell.ts';
import { findDatabaseUrl, poolerOf } from './database-url.ts';

/**
 * Runs `work` on the database that is configured, or on the one of the gateway that runs on the data folder. Throws
 * `SchemaMismatch` if its schema is not one for this program.
 */
export async function withDatabase<Result>(
  config: Config,
  work: (db: Database) => Promise<Result>,
  { poolMax = 2 } = {},
): Promise<Result> {
  const log = pino({ level: 'error' }, pino.destination(2));
  const db = await connectDatabase({ url: await findDatabaseUrl(config), poolMax, log, ...poolerOf(config) });
  try {
    await requireFitting(db);
    await takeCell(db, config);
    return await work(db);
  } finally {
    await db.close();
  }
}

/** The cell is the database's: these programs must make what they make in it, whether or not CELL is set for them. */
async function takeCell({ em }: Database, { cell }: Config): Promise<void> {
  const recorded = await readCell(em);
  if (cell !== null && cell !== recorded?.cell)
    throw new Error(
      recorded === null
        ? `CELL: this database is no cell yet; start the gateway with CELL=${String(cell)} first`
        : `CELL: this database is of cell ${String(recorded.cell)}, and CELL says ${String(cell)}`,
    );
  useCell(recorded);
}
