// npm run wallet in a process of its own, as operators run it.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../src/cli/wallet.js', import.meta.url));

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program to its end with these variables and no others. */
export function wallet(command: string, env: Readonly<Record<string, string>>, input = ''): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, ...command.split(' ')], { env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
    child.stdin?.end(input);
  });
}
