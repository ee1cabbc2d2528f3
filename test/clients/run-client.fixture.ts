// Runs programs of the clients' packages.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/sources.ts';

export const FOLDER = join(ROOT, 'test/clients');

/** Runs a program of these packages and returns what it printed; throws with that unless it ends well. */
export async function runClient(
  script: string,
  parameters: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const options = {
    cwd: FOLDER,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    maxBuffer: 50_000_000,
  };
  const ended = promisify(execFile)(process.execPath, [join(FOLDER, script), ...parameters], options);
  const { stdout } = await ended.catch((error: unknown) => {
    const { stdout: printed = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${script} failed:\n${printed.slice(-5_000)}\n${stderr.slice(-5_000)}`, { cause: error });
  });
  return stdout;
}
