// Where the operator's tools find the database of a gateway that runs.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';

/** The database of the configuration; without one, the embedded one of the gateway that runs on the data folder. */
export async function findDatabaseUrl({ databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseUrl !== null) return databaseUrl;
  try {
    return (await readFile(join(dataDir, 'database-url'), 'utf8')).trim();
  } catch {
    throw new Error(`No gateway has run on ${dataDir} yet; start one, or set DATABASE_URL or DATA_DIR`);
  }
}
