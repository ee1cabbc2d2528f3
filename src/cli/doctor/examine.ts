// Runs the checks that concern a process, all at once, and gathers what they found.

import type { Config, ConfigError } from '../../config/config.ts';
import { CHECKS, type Check } from './checks.ts';
import { HOW_TO_SET } from './configuration.ts';
import type { Examination } from './examination.ts';
import { fault, reasonOf, type Finding } from './finding.ts';

export interface Row extends Finding {
  readonly check: string;
}

export interface Report {
  /** Null if the configuration is faulty. */
  readonly environment: Config['environment'] | null;
  readonly roles: readonly string[];
  readonly at: Date;
  readonly faults: number;
  readonly warnings: number;
  readonly rows: readonly Row[];
  /** The checks that could not be made, because something that they need is missing. */
  readonly notMade: readonly string[];
}

/** A check that takes longer hangs: each of its own time limits is shorter. */
const CHECK_WITHIN_MS = 60_000;

export async function examine(examination: Examination): Promise<Report> {
  const { config, db, schema } = examination;
  const there = { database: db !== null, schema: schema !== null && schema.version > 0 };
  const concerned = CHECKS.filter(({ roles }) => roles?.some((role) => config.roles.has(role)) ?? true);
  const isPossible = ({ needs }: Check) => needs === undefined || there[needs];
  const results = await Promise.all(concerned.filter(isPossible).map((check) => runCheck(check, examination)));
  const notMade = concerned.filter((check) => !isPossible(check)).map(({ name }) => name);
  const { environment, roles } = config;
  return reportOf({ environment, roles: [...roles], at: examination.now(), rows: results.flat(), notMade });
}

/** A faulty configuration says nothing certain about the rest, so nothing else is checked. */
export function explainConfig({ faults }: ConfigError): Report {
  const rows = faults.map((text) => ({ check: 'configuration', ...fault(text, HOW_TO_SET) }));
  const notMade = CHECKS.map(({ name }) => name).filter((name) => name !== 'configuration');
  return reportOf({ environment: null, roles: [], at: new Date(), rows, notMade });
}

function reportOf(report: Omit<Report, 'faults' | 'warnings'>): Report {
  const count = (wanted: Finding['state']) => report.rows.filter(({ state }) => state === wanted).length;
  return { ...report, faults: count('fault'), warnings: count('warning') };
}

async function runCheck({ name, run }: Check, examination: Examination): Promise<Row[]> {
  const findings = await within(CHECK_WITHIN_MS, run(examination)).catch((error: unknown) => [
    fault(`could not be checked: ${reasonOf(error)}`, 'look into the reason, and run npm run doctor again'),
  ]);
  return findings.map((finding) => ({ check: name, ...finding }));
}

/** Rejects after a time limit. */
function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no result within ${String(ms / 1_000)} s`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
