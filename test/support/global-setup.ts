// Before all tests: one PostgreSQL cluster, and in it the migrated template that each test database is a copy of.

import { pino } from 'pino';
import { connectDatabase } from '../../src/database/connection.ts';
import { databaseUrl, startTestCluster, type TestCluster } from './cluster.ts';
import { CLUSTER_VARIABLE, runSql, TEMPLATE } from './database.ts';

let cluster: TestCluster | undefined;

/** Starts the cluster; the workers are forked afterwards and find its URL in their environment. */
export default async function setUp(): Promise<void> {
  cluster = await startTestCluster();
  try {
    await makeTemplate(cluster.url);
  } catch (error) {
    await stopCluster();
    throw error;
  }
  process.env[CLUSTER_VARIABLE] = cluster.url;
}

/** For the tear-down, which runs in the same process. */
export async function stopCluster(): Promise<void> {
  await cluster?.stop();
  cluster = undefined;
}

async function makeTemplate(clusterUrl: string): Promise<void> {
  await runSql(clusterUrl, `create database ${TEMPLATE}`);
  const url = databaseUrl(clusterUrl, TEMPLATE);
  const db = await connectDatabase({ url, poolMax: 2, log: pino({ level: 'silent' }) });
  await db.migrate().finally(() => db.close());
}
