// Writes test/database/catalogue.txt, the schema that the migrations make, which a test compares with. Run it after a
// deliberate change, so that a review shows the change: npm run build && node dist/scripts/record-catalogue.js

import { writeFileSync } from 'node:fs';
import { Client } from 'pg';
import { pino } from 'pino';
import { connectDatabase } from '../src/database/connection.ts';
import { migrate } from '../src/database/migrate.ts';
import { printCatalogue, readCatalogue, RECORDED_AT } from '../test/database/catalogue.fixture.ts';
import { startTestCluster } from '../test/support/database/cluster.ts';

const cluster = await startTestCluster();
try {
  const db = await connectDatabase({ url: cluster.url, poolMax: 2, log: pino({ level: 'silent' }) });
  await migrate(db).finally(() => db.close());
  const client = new Client({ connectionString: cluster.url });
  await client.connect();
  try {
    writeFileSync(RECORDED_AT, printCatalogue(await readCatalogue(client)));
  } finally {
    await client.end();
  }
} finally {
  await cluster.stop();
}
