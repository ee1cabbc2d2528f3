// Runs `npm run ledger` in a process of its own, as operators do.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FAST_START_VARIABLES } from '../../support/jest/fast-start-variables.ts';
import type { Run } from '../wallet/run.fixture.ts';

const PROGRAM = fileURLToPath(new URL('../../../src/cli/ledger/ledger.js', import.meta.url));

/** Runs the program to its end; of the variables that it reads, only these are set. */
export function runLedger(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env: { ...FAST_START_VARIABLES, ...env } }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}
