// Opens the replicas of DATABASE_READ_URLS, whose code is loaded only where there are some.

import type { Registry } from 'prom-client';
import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/connection.ts';
import type { Loops, Stops } from '../lifecycle.ts';
import { watchReplicas } from './replica-metrics.ts';

interface ReplicaParts {
  readonly log: Logger;
  readonly loops: Loops;
  readonly stops: Stops;
  readonly registry: Registry;
}

const LOOK_EVERY_MS = 1_000;

/** The database with its replicas; as it is, if none are configured, or if nothing here would read from them. */
export async function withReplicas(config: Config, db: Database, parts: ReplicaParts): Promise<Database> {
  const { databaseReadUrls: urls, databasePoolMax: poolMax, databasePooler: pooled, preparedStatements } = config;
  if (!config.roles.has('api')) return db;
  if (urls.length === 0) {
    watchReplicas(parts.registry, null);
    return db;
  }
  const { openReplicas } = await import('../../database/replicas/replicas.ts');
  const replicas = await openReplicas(db, { urls, poolMax, pooled, preparedStatements, log: parts.log });
  parts.stops.push(() => replicas.close());
  parts.loops.start(replicas.worker, { idleMs: LOOK_EVERY_MS });
  watchReplicas(parts.registry, replicas.figures);
  return { ...db, replicas };
}
