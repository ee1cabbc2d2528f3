// Opens what everything else needs: the data folder's lock, PostgreSQL, and the secret. The sandbox provides its own.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import {
  connectDatabase,
  DATABASE_PATIENCE,
  DatabaseUnreachable,
  query,
  type Database,
  type DatabaseOptions,
  type UrlVariable,
} from '../database/connection.ts';
import { MadeBeforeRelease, migrate } from '../database/migrate.ts';
import { requireFitting, SchemaMismatch } from '../database/schema-version.ts';
import { recordCluster } from '../domain/witness/cluster.ts';
import { readEnvironment } from '../database/queries/deployment.ts';
import { isOutage } from '../server/public-errors.ts';
import { claimCell } from './cells/claim-cell.ts';
import { StartAborted, StartError, type GatewayOptions, type Stops } from './lifecycle.ts';

/**
 * Acquires the data folder's lock, starts the embedded PostgreSQL if no database is configured, and reads the secret.
 */
export async function openInfrastructure(config: Config, { log, onProgress }: GatewayOptions, stops: Stops) {
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
  const { startPostgres } = await import('../sandbox/postgres/supervisor.ts');
  const postgres = await startPostgres({ dataDir, log, ...(onProgress ? { onProgress } : {}) });
  stops.push(() => postgres.stop());
  // For tools that use a running gateway's database, such as `npm run ledger:verify`.
  await writeFile(join(dataDir, 'database-url'), `${postgres.url}\n`, { mode: 0o600 });
  return { databaseUrl: postgres.url, secret };
}

export async function openDatabase(
  config: Config,
  url: string,
  options: GatewayOptions,
  stops: Stops,
): Promise<Database> {
  const { log } = options;
  const patience = options.patience?.database ?? DATABASE_PATIENCE;
  const { databasePoolMax: poolMax, databaseDirectUrl, databasePooler: pooled, preparedStatements } = config;
  if (databaseDirectUrl !== null) {
    const variable = 'DATABASE_DIRECT_URL';
    const direct = await connectWhenThere(
      { url: databaseDirectUrl, variable, poolMax: 3, log, patience },
      config,
      options,
    );
    stops.push(() => direct.close());
    await unlessLost(() => bringUpToDate(direct, config, options), variable);
    await stops.pop()?.();
  }
  const db = await connectWhenThere({ url, poolMax, log, patience, pooled, preparedStatements }, config, options);
  stops.push(() => db.close());
  await unlessLost(async () => {
    if (databaseDirectUrl === null) await bringUpToDate(db, config, options);
    await claimDatabase(db, config);
    await claimCell(db, config);
    await recordCluster({ db, log });
  });
  if (config.environment === 'live') await warnOfWeakCommits(db, log);
  if (pooled) await warnOfIdleTransactions(db, log);
  return db;
}

/** Connects; waits for a server that is not there yet, as long as `DATABASE_WAIT_SECONDS` says. */
async function connectWhenThere(
  database: DatabaseOptions,
  { databaseWaitSeconds }: Config,
  { onProgress, signal }: GatewayOptions,
): Promise<Database> {
  const until = performance.now() + 1_000 * databaseWaitSeconds;
  for (let tries = 1; ; tries += 1) {
    try {
      return await connectDatabase(database);
    } catch (error) {
      if (!(error instanceof DatabaseUnreachable && error.mayCome) || performance.now() >= until) throw error;
      if (tries === 1) onProgress?.(`Waiting for PostgreSQL (${error.reason})`);
      await sleep(BETWEEN_TRIES_MS, undefined, signal && { signal }).catch(() => {
        throw new StartAborted();
      });
    }
  }
}

const BETWEEN_TRIES_MS = 1_000;

/**
 * Throws `DatabaseUnreachable` if the server goes away meanwhile. That ends the start: the next one begins the
 * migration where this one was cut, and waits for the server.
 */
async function unlessLost(work: () => Promise<void>, variable?: UrlVariable): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw isOutage(error) ? new DatabaseUnreachable(error, variable) : error;
  }
}

/** Migrates, or checks that a program with the right to do so has migrated. */
async function bringUpToDate(db: Database, config: Config, { onProgress }: GatewayOptions): Promise<void> {
  try {
    if (!config.migrateAtStart) return await requireFitting(db);
    onProgress?.('Applying database migrations');
    await migrate(db, onProgress);
  } catch (error) {
    if (error instanceof MadeBeforeRelease) throw new StartError(adviceOn(config));
    throw error instanceof SchemaMismatch ? new StartError(error.message) : error;
  }
}

/** What to do about a database that was made before the first release. */
function adviceOn({ databaseUrl, dataDir }: Config): string {
  return databaseUrl === null
    ? `DATA_DIR: the database in ${dataDir} was made before the first release and cannot be used any more; remove that folder, or set DATA_DIR to another one`
    : 'DATABASE_URL: this database was made before the first release and cannot be used any more; set DATABASE_URL to an empty one';
}

/**
 * Every connection requests safe commits, but a pooler in transaction mode passes the setting to other clients. Behind
 * a pooler only the role's own setting counts.
 */
async function warnOfWeakCommits({ em }: Database, log: Logger): Promise<void> {
  const text = `select reset_val as value from pg_settings where name = 'synchronous_commit'`;
  const [row] = await query<{ value: string }>(em, text);
  if (row === undefined || ['on', 'remote_apply'].includes(row.value)) return;
  log.warn(
    { synchronousCommit: row.value },
    'the database acknowledges commits before they are on disk; set synchronous_commit = on for the role, because behind a pooler the gateway cannot set it',
  );
}

/** Without a limit of the role's, a process that is cut off in a transaction holds its locks for hours. */
async function warnOfIdleTransactions({ em }: Database, log: Logger): Promise<void> {
  const text = `select reset_val as value from pg_settings where name = 'idle_in_transaction_session_timeout'`;
  const [row] = await query<{ value: string }>(em, text);
  if (row?.value !== '0') return;
  log.warn(
    'locks of a process that is cut off in a transaction are held for hours: behind a pooler the gateway cannot set a limit, so alter the role: set idle_in_transaction_session_timeout = 30s',
  );
}

/** A database belongs to the sandbox or to live for good: its keys, tokens and money are worth nothing in the other. */
async function claimDatabase({ em }: Database, { environment }: Config): Promise<void> {
  await query(em, 'insert into deployment (environment) values ($1) on conflict do nothing', [environment]);
  const recorded = await readEnvironment(em);
  if (recorded !== environment)
    throw new StartError(
      `DATABASE_URL: this database is of ${NAMES[recorded ?? environment]}; ${NAMES[environment]} needs one of its own`,
    );
}

const NAMES: Readonly<Record<Config['environment'], string>> = { sandbox: 'a sandbox', live: 'a live deployment' };
