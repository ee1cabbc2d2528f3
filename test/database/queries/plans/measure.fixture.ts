// Builds a history with the statistics of several times, and measures what all paths read of a copy of it under each.

import { pino } from 'pino';
import pg from 'pg';
import { connectDatabase } from '../../../../src/database/connection.ts';
import type { Deps } from '../../../../src/domain/deps.ts';
import { recordCluster } from '../../../../src/domain/witness/cluster.ts';
import { createTestDatabase, databaseUrl, runSql, type TestDatabase } from '../../../support/database/database.ts';
import { clearHistory, writeHistory, type HistorySize } from './history.fixture.ts';
import { reportPlans, watchPlans, type Reading } from './plans.fixture.ts';
import { ageStatistics, keepStatistics, openStatistics, type Age } from './statistics.fixture.ts';
import type { Path, World } from './world.fixture.ts';

const log = pino({ level: 'silent' });

/** Writes a history, and keeps the statistics of each age beside it; `prepare` may change the empty tables before. */
export async function build(
  size: HistorySize,
  prepare: (database: TestDatabase) => Promise<void> = async () => undefined,
): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await prepare(database);
  const client = new pg.Client(database.url);
  await client.connect();
  try {
    await openStatistics(client);
    await client.query('set session_replication_role = replica');
    await keepStatistics(client, 'none');
    await client.query('analyze');
    await keepStatistics(client, 'empty');
    for (const [age, waiting] of [
      ['everything waited', 1_000],
      ['nothing waited', 0],
    ] as const) {
      await writeHistory(client, { orders: 1_000, waiting });
      await client.query('analyze');
      await keepStatistics(client, age);
      await clearHistory(client);
    }
    await writeHistory(client, size);
    await client.query('vacuum analyze');
    await keepStatistics(client, 'accurate');
  } finally {
    await client.end();
  }
  return database;
}

/**
 * Runs the paths on a copy of a history whose statistics have an age; returns what each of their statements has read.
 */
export async function measure(
  source: Pick<TestDatabase, 'url'>,
  size: HistorySize,
  age: Age,
  paths: readonly Path[],
): Promise<ReadonlyMap<string, Reading>> {
  const name = `${new URL(source.url).pathname.slice(1)}_copy`;
  const admin = databaseUrl(source.url, 'postgres');
  await runSql(admin, `create database ${name} template ${new URL(source.url).pathname.slice(1)}`);
  const url = databaseUrl(source.url, name);
  try {
    const client = new pg.Client(url);
    await client.connect();
    await client.query('set allow_system_table_mods = on');
    await ageStatistics(client, age).finally(() => client.end());
    const quiet = await connectDatabase({ url, poolMax: 1, log });
    await recordCluster({ db: quiet, log });
    await quiet.close();
    const admin2 = new pg.Client(admin);
    await admin2.connect();
    await reportPlans(admin2, name).finally(() => admin2.end());
    const db = await connectDatabase({ url, poolMax: 2, log });
    const { readings, stop } = watchPlans(db.pool);
    try {
      const now = new Date();
      const none = () => undefined;
      const deps: Deps = {
        ...{
          db,
          clock: { now: () => now },
          environment: 'sandbox',
          chains: new Map(),
          payUrl: 'http://localhost/pay',
          log,
        },
        ...{ webhookAllowPrivate: true, signals: { events: none, chain: none, payouts: none, deliveries: none } },
      };
      const world: World = {
        ...{
          db,
          deps,
          size,
          now,
          last: size.orders,
          lastDone: size.orders - size.waiting,
          firstWaiting: size.orders - size.waiting + 1,
        },
        commit: (work) => db.em.fork().transactional(work),
      };
      for (const { name: what, run } of paths)
        await run(world).catch((error: unknown) => {
          throw new Error(`When ${what}: ${String((error as Error).stack)}`, { cause: error });
        });
    } finally {
      stop();
      await db.close();
    }
    return readings;
  } finally {
    await runSql(admin, `drop database ${name} with (force)`);
  }
}
