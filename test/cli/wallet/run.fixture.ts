// Runs `npm run wallet` in a process of its own, as operators do.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FAST_START_VARIABLES } from '../../support/jest/fast-start-variables.ts';

const PROGRAM = fileURLToPath(new URL('../../../src/cli/wallet/wallet.js', import.meta.url));

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program to its end; of the variables that it reads, only these are set. */
export function wallet(command: string, env: Readonly<Record<string, string>>, input = ''): Promise<Run> {
  const all = { ...FAST_START_VARIABLES, ...env };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...command.split(' ')], { env: all }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
    child.stdin?.end(input);
  });
}
