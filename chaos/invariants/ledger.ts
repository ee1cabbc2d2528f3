// Checks the gateway's ledger with the same program as `npm run ledger:verify`.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The parts of a system that are needed here. */
interface VerifiedSystem {
  readonly database: { readonly url: string };
  readonly dataDir: string;
}

const run = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('../../src/cli/ledger/verify.js', import.meta.url));

/** Null if every rule holds and every network was compared; otherwise the program's output. */
export async function findLedgerFault({ database, dataDir }: VerifiedSystem): Promise<string | null> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, DATABASE_URL: database.url, DATA_DIR: dataDir };
  try {
    const { stdout } = await run(process.execPath, ['--enable-source-maps', PROGRAM], { env });
    return /^\?/m.test(stdout) ? stdout.trim() : null;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return [stdout, stderr].join('\n').trim() || String(error);
  }
}
