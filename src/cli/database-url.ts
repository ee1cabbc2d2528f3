// Finds the database URL and the secret of a running gateway for the operator's tools.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { DatabaseOptions } from '../database/connection.ts';

/** The configured database, past its pooler; otherwise the embedded one of the gateway that runs on the data folder. */
export async function findDatabaseUrl({ databaseDirectUrl, databaseUrl, dataDir }: Config): Promise<string> {
  if (databaseDirectUrl !== null) return databaseDirectUrl;
  if (databaseUrl !== null) return databaseUrl;
  try {
    return (await readFile(join(dataDir, 'database-url'), 'utf8')).trim();
  } catch {
    throw new Error(`No gateway has run on ${dataDir} yet; start one, or set DATABASE_URL or DATA_DIR`);
  }
}

/** How to talk to that database, which may be behind a pooler, and the variable to name in errors. */
export function poolerOf(config: Config): Partial<DatabaseOptions> {
  const { databaseDirectUrl, databaseUrl, databasePooler, preparedStatements, dataDir } = config;
  if (databaseDirectUrl !== null) return { variable: 'DATABASE_DIRECT_URL' };
  if (databaseUrl === null)
    return { variable: `The gateway on ${dataDir} does not run; start it, or set DATABASE_URL or DATA_DIR` };
  return { pooled: databasePooler, preparedStatements };
}

/** The configured secret; otherwise the one that the sandbox created in its data folder. */
export async function findSecret({ secret, dataDir }: Config): Promise<string> {
  if (secret !== null) return secret;
  try {
    return await readFile(join(dataDir, 'secret'), 'utf8');
  } catch {
    throw new Error(`No gateway has run on ${dataDir} yet; start one, or set TURNPIKE_SECRET or DATA_DIR`);
  }
}
