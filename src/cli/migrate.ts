// npm run migrate: brings the database up to date, for deployments whose programs may not change its schema. With
// --partition-history it divides the tables of history by month besides, for good.

import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { readConfig } from '../config/config.ts';
import { connectDatabase } from '../database/connection.ts';
import { migrate } from '../database/migrate.ts';
import { partitionHistory } from '../database/partition.ts';
import { findDatabaseUrl, poolerOf } from './database-url.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);

try {
  const { values } = parseArgs({ options: { 'partition-history': { type: 'boolean', default: false } } });
  const log = pino({ level: 'error' }, pino.destination(2));
  const config = readConfig();
  const db = await connectDatabase({ url: await findDatabaseUrl(config), poolMax: 3, log, ...poolerOf(config) });
  try {
    const applied = await migrate(db, say);
    for (const name of applied) say(`Applied ${name}`);
    say(`The database has schema ${db.steps.length}`);
    if (values['partition-history']) {
      for (const table of await partitionHistory(db, new Date(), say)) say(`Divided by month: ${table}`);
      say('History has partitions');
    }
  } finally {
    await db.close();
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
