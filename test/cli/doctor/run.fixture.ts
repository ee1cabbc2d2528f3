// Runs `npm run doctor` in a process of its own, as operators do, and reads what it reports.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Report, Row } from '../../../src/cli/doctor/examine.ts';
import { FAST_START_VARIABLES } from '../../support/jest/fast-start-variables.ts';
import type { Run } from '../wallet/run.fixture.ts';

const PROGRAM = fileURLToPath(new URL('../../../src/cli/doctor/doctor.js', import.meta.url));

export type Variables = Readonly<Record<string, string>>;

/** Runs the program to its end; of the variables that it reads, only these are set. */
export function runDoctor(env: Variables, ...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, ...args], { env: { ...FAST_START_VARIABLES, ...env } }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

/** What it reports for programs. Its exit code must say the same. */
export async function reportOf(env: Variables, ...args: string[]): Promise<Report> {
  const { code, out, err } = await runDoctor(env, '--json', ...args);
  if (err !== '') throw new Error(err);
  const report = JSON.parse(out) as Report;
  if (code !== (report.faults > 0 ? 1 : 0)) throw new Error(`Exit code ${String(code)} with ${out}`);
  return report;
}

/** The rows of one check, as `state: found`. */
export async function findingsOf(check: string, env: Variables, ...args: string[]): Promise<string[]> {
  return textsOf((await reportOf(env, ...args)).rows, check);
}

export function textsOf(rows: readonly Row[], check: string): string[] {
  const own = rows.filter((row) => row.check === check);
  for (const { state, remedy } of own) {
    if ((state === 'ok') !== (remedy === null))
      throw new Error(`${check}: what is wrong has a remedy, and nothing else`);
  }
  return own.map(({ state, found }) => `${state}: ${found}`);
}
