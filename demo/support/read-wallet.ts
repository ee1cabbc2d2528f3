// Reads the gateway's wallet with the same program as `npm run wallet -- show`.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The output of the program for our own gateway's wallet; without `dataDir`, for the one our environment points to. */
export async function readWallet(dataDir: string | null): Promise<string> {
  const program = fileURLToPath(new URL('../../src/cli/wallet/wallet.js', import.meta.url));
  const env = dataDir === null ? process.env : { ...process.env, KEYSTORE_PATH: '', DATA_DIR: dataDir };
  return (await run(process.execPath, [program, 'show'], { env })).stdout;
}
