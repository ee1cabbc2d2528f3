// Reads how to reach the database, and who brings its schema up to date.

import type { Reader } from './reader.ts';

export interface DatabaseConfig {
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** Migrations and the operator's tools use it instead of `databaseUrl`; null: they use that, too. */
  readonly databaseDirectUrl: string | null;
  /** Replicas that are read from, in addition to the primary. */
  readonly databaseReadUrls: readonly string[];
  /** Whether a pooler in transaction mode is in front of the database. */
  readonly databasePooler: boolean;
  /** Whether statements that are sent often are kept by the server under a name. */
  readonly preparedStatements: boolean;
  readonly databasePoolMax: number;
  /** How long the start waits for a database server that is not there yet. */
  readonly databaseWaitSeconds: number;
  /** Whether the start migrates; otherwise it needs a database that `npm run migrate` has brought up to date. */
  readonly migrateAtStart: boolean;
}

export const readDatabase = (read: Reader, live: boolean): DatabaseConfig => ({
  databaseUrl: read.databaseUrl('DATABASE_URL', live),
  databaseDirectUrl: read.databaseUrl('DATABASE_DIRECT_URL', false),
  databaseReadUrls: read.databaseUrls('DATABASE_READ_URLS'),
  databasePooler: read.boolean('DATABASE_POOLER', false),
  preparedStatements: read.boolean('DATABASE_PREPARED_STATEMENTS', true),
  databasePoolMax: read.integer('DATABASE_POOL_MAX', 20, 2, 1_000),
  databaseWaitSeconds: read.integer('DATABASE_WAIT_SECONDS', 60, 0, 86_400),
  migrateAtStart: read.boolean('MIGRATE_AT_START', true),
});
