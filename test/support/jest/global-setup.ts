// jest's globalSetup: starts one PostgreSQL cluster, with the migrated template that each test database is a copy of,
// and the lender of gateways.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { connectDatabase } from '../../../src/database/connection.ts';
import { migrate } from '../../../src/database/migrate.ts';
import { startTestCluster, type TestCluster } from '../database/cluster.ts';
import { FAST_START_VARIABLES } from './fast-start-variables.ts';
import { CLUSTER_VARIABLE, databaseUrl, FOLDER_VARIABLE, runSql, TEMPLATE } from '../database/database.ts';
import { LENDER_VARIABLE, startLender, type Lender } from '../gateway/lending.ts';

let cluster: TestCluster | undefined;
let folder: string | undefined;
let lender: Lender | undefined;

/** Starts the cluster; the workers are forked afterwards and find it, and the run's folder, in their environment. */
export default async function setUp(): Promise<void> {
  cluster = await startTestCluster();
  try {
    await makeTemplate(cluster.url);
    // Named like the folder of the cluster, so that the next run cleans up after one that was killed.
    folder = await mkdtemp(join(tmpdir(), `turnpike-test-${process.pid}-`));
  } catch (error) {
    await stopCluster();
    throw error;
  }
  process.env[CLUSTER_VARIABLE] = cluster.url;
  process.env[FOLDER_VARIABLE] = folder;
  Object.assign(process.env, FAST_START_VARIABLES); // For the programs that tests start.
  lender = await startLender();
  process.env[LENDER_VARIABLE] = lender.url;
}

/** For the tear-down, which runs in the same process. */
export async function stopCluster(): Promise<void> {
  await lender?.close();
  await cluster?.stop();
  cluster = undefined;
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}

async function makeTemplate(clusterUrl: string): Promise<void> {
  await runSql(clusterUrl, `create database ${TEMPLATE}`);
  const url = databaseUrl(clusterUrl, TEMPLATE);
  const db = await connectDatabase({ url, poolMax: 2, log: pino({ level: 'silent' }) });
  await migrate(db).finally(() => db.close());
}
