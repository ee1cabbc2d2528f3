// A process that settles deposits of one network, as an observer does.

import pg from 'pg';
import { pino } from 'pino';
import { connectDatabase } from '../../src/database/connection.ts';
import { serveRuns } from '../shared/run-process.ts';
import { createSetup } from './environment.ts';
import type { SettleTask } from './processes.ts';

serveRuns<SettleTask>(async ({ databaseUrl: url, network, rows, perBlock, deposits }) => {
  const db = await connectDatabase({ url, poolMax: 2, log: pino({ level: 'silent' }) });
  const client = new pg.Client(url);
  await client.connect();
  try {
    const setup = await createSetup({ db, client, url }, network, rows);
    const { seconds, ownMicros = 0 } = await setup.settle(perBlock, deposits);
    const latency = { p50Ms: Number.NaN, p99Ms: Number.NaN };
    return { count: deposits, seconds, failures: 0, firstFailure: null, ...latency, gatewayMicros: ownMicros };
  } finally {
    await client.end();
    await db.close();
  }
});
