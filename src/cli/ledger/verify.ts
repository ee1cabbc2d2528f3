// npm run ledger:verify: checks the book against its rules while the gateway runs, and prints the first fault of each
// rule.

import { readConfig, type Config } from '../../config/config.ts';
import type { Database } from '../../database/connection.ts';
import { verifyLedger } from '../../domain/ledger/verify.ts';
import { openAdapters } from '../open-adapters.ts';
import { verifyCustody } from '../wallet/verify-custody.ts';
import { withDatabase } from '../with-database.ts';

/** Prints one line per rule, with its fault below; returns whether the rule holds. */
function report(name: string, fault: string | null): boolean {
  process.stdout.write(fault === null ? `✓ ${name}\n` : `✗ ${name}\n    ${fault}\n`);
  return fault === null;
}

/** Returns whether all rules hold; of custody, where the node can be asked. */
async function verify(config: Config, db: Database): Promise<boolean> {
  const { checks, faults } = await verifyLedger(db);
  let holds = true;
  for (const name of checks) holds = report(name, faults.find((found) => found.name === name)?.fault ?? null) && holds;
  for (const adapter of await openAdapters(config)) {
    const { name, fault, unknown } = await verifyCustody(db, adapter);
    if (unknown === null) holds = report(name, fault) && holds;
    else process.stdout.write(`? ${name}\n    not checked: ${unknown}\n`);
  }
  return holds;
}

try {
  const config = readConfig();
  const holds = await withDatabase(config, (db) => verify(config, db));
  process.exitCode = holds ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
