// Verifies the gateway's ledger with the same program as `npm run ledger:verify`.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Difference } from './expect.ts';
import type { Printer } from './printer.ts';

const run = promisify(execFile);
const CANNOT_LOOK = 2;

/**
 * Verifies the ledger. Throws `Difference` at the first fault. A gateway that is not ours must use the DATA_DIR or
 * DATABASE_URL of our environment; one of ours has its database in its folder, or at the URL.
 */
export async function verifyLedger(printer: Printer, dataDir: string | null, databaseUrl = ''): Promise<void> {
  const program = fileURLToPath(new URL('../../src/cli/ledger/verify.js', import.meta.url));
  const env = dataDir === null ? process.env : { ...process.env, DATABASE_URL: databaseUrl, DATA_DIR: dataDir };
  try {
    const { stdout } = await run(process.execPath, [program], { env });
    printer.met(`The ledger is right: ${stdout.trim().split('\n').length} rules hold`);
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (code === CANNOT_LOOK) throw new Error(`The ledger cannot be read: ${stderr.trim()}`, { cause: error });
    throw new Difference('The ledger', 'every rule to hold', stdout || stderr || String(error));
  }
}
