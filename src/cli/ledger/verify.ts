// npm run ledger:verify: checks the book against its rules while the gateway runs, and prints the first fault of each
// rule.

import { pino } from 'pino';
import { readConfig } from '../../config/config.ts';
import { connectDatabase } from '../../database/connection.ts';
import { verifyLedger } from '../../domain/ledger/verify.ts';
import { findDatabaseUrl } from '../database-url.ts';
import { openAdapters } from '../open-adapters.ts';
import { verifyCustody } from '../wallet/verify-custody.ts';

/** Prints one line per rule, with its fault below; returns whether the rule holds. */
function report(name: string, fault: string | null): boolean {
  process.stdout.write(fault === null ? `✓ ${name}\n` : `✗ ${name}\n    ${fault}\n`);
  return fault === null;
}

try {
  const config = readConfig();
  const url = await findDatabaseUrl(config);
  const db = await connectDatabase({ url, poolMax: 2, log: pino({ level: 'error' }) });
  const { checks, faults } = await verifyLedger(db);
  let holds = true;
  for (const name of checks) holds = report(name, faults.find((found) => found.name === name)?.fault ?? null) && holds;
  for (const adapter of await openAdapters(config)) {
    const { name, fault, unknown } = await verifyCustody(db, adapter);
    if (unknown === null) holds = report(name, fault) && holds;
    else process.stdout.write(`? ${name}\n    not checked: ${unknown}\n`);
  }
  await db.close();
  process.exitCode = holds ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
