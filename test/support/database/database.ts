// Gives each test file a database of its own: a copy of the migrated template on the run's cluster.

import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { Client } from 'pg';

/** The environment variable through which the set-up gives the workers the URL of the cluster. */
export const CLUSTER_VARIABLE = 'TURNPIKE_TEST_CLUSTER';
/** The environment variable with the run's folder, in which test files make their own. */
export const FOLDER_VARIABLE = 'TURNPIKE_TEST_FOLDER';
export const TEMPLATE = 'turnpike_template';

export interface TestDatabase {
  readonly url: string;
  /** Runs one statement on a connection of its own. */
  sql<Row = Record<string, unknown>>(text: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Removes the database. Connections that were told to close get time for it; those that stay are cut. */
  drop(): Promise<void>;
}

/**
 * Makes an empty, migrated database. Its files are copied: through the write-ahead log, PostgreSQL's default, it costs
 * three times as much, and a test cluster writes nothing at the checkpoints that copying needs.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const cluster = ofThisRun(CLUSTER_VARIABLE);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await runSql(cluster, `create database ${name} template ${TEMPLATE} strategy file_copy`);
  const url = databaseUrl(cluster, name);
  return {
    url,
    sql: <Row>(text: string, parameters: readonly unknown[] = []) => runSql<Row>(url, text, parameters),
    drop: () => dropDatabase(cluster, name),
  };
}

/** How long a database that is being removed waits for connections that are about to end. */
const GONE_WITHIN_MS = 10_000;

/**
 * A closed pool reports its end before the server notices. If the server cut such a connection in between, the error
 * would have no handler and fail a test for nothing.
 */
async function dropDatabase(cluster: string, name: string): Promise<void> {
  const client = new Client({ connectionString: cluster });
  await client.connect();
  try {
    for (const end = performance.now() + GONE_WITHIN_MS; performance.now() < end; await rest(10)) {
      const { rows } = await client.query('select 1 from pg_stat_activity where datname = $1 limit 1', [name]);
      if (rows.length === 0) break;
    }
    await client.query(`drop database ${name} with (force)`);
  } finally {
    await client.end();
  }
}

/** The URL of another database on the same cluster. */
export function databaseUrl(clusterUrl: string, database: string): string {
  return Object.assign(new URL(clusterUrl), { pathname: `/${database}` }).href;
}

/** A new folder for a test; the caller removes it, and otherwise the end of the run does. */
export function makeTestFolder(name: string): Promise<string> {
  return mkdtemp(join(ofThisRun(FOLDER_VARIABLE), `${name}-`));
}

/** Reserves a name for the rest of the run; false if it was reserved before by any test file. */
export async function claimInRun(name: string): Promise<boolean> {
  try {
    await writeFile(join(ofThisRun(FOLDER_VARIABLE), name), '', { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function ofThisRun(variable: string): string {
  const value = process.env[variable];
  if (value === undefined) throw new Error(`${variable} is not set: the tests run under jest.config.js`);
  return value;
}

/** Connects, runs one statement, disconnects. */
export async function runSql<Row = Record<string, unknown>>(
  url: string,
  text: string,
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, [...parameters])).rows as Row[];
  } finally {
    await client.end();
  }
}
