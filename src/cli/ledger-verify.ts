// npm run ledger:verify: holds the book against its rules while the gateway runs, names the first difference of each.

import { pino } from 'pino';
import { readConfig } from '../config.ts';
import { connectDatabase } from '../database/connection.ts';
import { verifyLedger } from '../domain/verify-ledger.ts';
import { findDatabaseUrl } from './database-url.ts';

try {
  const url = await findDatabaseUrl(readConfig());
  const db = await connectDatabase({ url, poolMax: 2, log: pino({ level: 'error' }) });
  const { checks, faults } = await verifyLedger(db);
  await db.close();
  for (const name of checks) {
    const found = faults.find((fault) => fault.name === name);
    process.stdout.write(found ? `✗ ${name}\n    ${found.fault}\n` : `✓ ${name}\n`);
  }
  process.exitCode = faults.length > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
