// The ground of a gateway: the data folder's lock, PostgreSQL, the secret. The sandbox brings its own where none is given.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { connectDatabase, type Database } from '../database/connection.ts';
import { StartError, type GatewayOptions, type Stops } from './parts.ts';

/** What the rest stands on: the data folder's lock, the embedded PostgreSQL where none is given, the secret. */
export async function openGround(config: Config, { log, onProgress }: GatewayOptions, stops: Stops) {
  const { dataDir } = config;
  if (config.environment === 'live') {
    if (config.databaseUrl === null || config.secret === null)
      throw new StartError('Live needs DATABASE_URL and TURNPIKE_SECRET');
    return { databaseUrl: config.databaseUrl, secret: config.secret };
  }
  const embedsChain = config.sandboxNetworks.length > 0 && config.roles.has('observer');
  if (config.databaseUrl === null || embedsChain) {
    const { acquireInstanceLock } = await import('../sandbox/instance-lock.ts');
    const lock = await acquireInstanceLock({ dataDir });
    stops.push(() => lock.release());
  }
  const { openOrCreateSecret } = await import('../sandbox/sandbox-secret.ts');
  const secret = config.secret ?? (await openOrCreateSecret({ dataDir }));
  if (config.databaseUrl !== null) return { databaseUrl: config.databaseUrl, secret };
  const { startPostgres } = await import('../sandbox/embedded-postgres.ts');
  const postgres = await startPostgres({ dataDir, log, ...(onProgress ? { onProgress } : {}) });
  stops.push(() => postgres.stop());
  // For tools that look at a running gateway's database, such as `npm run ledger:verify`.
  await writeFile(join(dataDir, 'database-url'), `${postgres.url}\n`, { mode: 0o600 });
  return { databaseUrl: postgres.url, secret };
}

export async function openDatabase(
  config: Config,
  url: string,
  { log, onProgress }: GatewayOptions,
  stops: Stops,
): Promise<Database> {
  const db = await connectDatabase({ url, poolMax: config.databasePoolMax, log });
  stops.push(() => db.close());
  onProgress?.('Applying database migrations');
  await db.migrate();
  return db;
}
