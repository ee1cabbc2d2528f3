// Where the operator's tools find the database of a gateway that runs, and its secret.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';

/** The database of the configuration; without one, the embedded one of the gateway that runs on the data folder. */
export async function findDatabaseUrl({ databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseUrl !== null) return databaseUrl;
  try {
    return (await readFile(join(dataDir, 'database-url'), 'utf8')).trim();
  } catch {
    throw new Error(`No gateway has run on ${dataDir} yet; start one, or set DATABASE_URL or DATA_DIR`);
  }
}

/** The secret of the configuration; without one, that which the sandbox has made in its data folder. */
export async function findSecret({ secret, dataDir }: Config): Promise<string> {
  if (secret !== null) return secret;
  try {
    return await readFile(join(dataDir, 'secret'), 'utf8');
  } catch {
    throw new Error(`No gateway has run on ${dataDir} yet; start one, or set TURNPIKE_SECRET or DATA_DIR`);
  }
}
