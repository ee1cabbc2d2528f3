// Opens the gateway's database for the operator's tools.

import { pino } from 'pino';
import type { Config } from '../config/config.ts';
import { connectDatabase, type Database } from '../database/connection.ts';
import { requireFitting } from '../database/schema-version.ts';
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
    return await work(db);
  } finally {
    await db.close();
  }
}
