// npm run doctor: checks the configuration of a process and everything that it depends on, on one screen.

import { parseArgs } from 'node:util';
import { ConfigError, readConfig, type Config } from '../../config/config.ts';
import { VERSION } from '../../database/program.ts';
import { beginExamination } from './examination.ts';
import { examine, explainConfig, type Report } from './examine.ts';
import { linesOf } from './lines.ts';

const USAGE = `npm run doctor

  Checks a process with the variables that it runs with: its configuration, its database, nodes, files and addresses.
  It changes nothing and shows no secret. The process may be running or not.

  --json           for programs
  --processes N    how many processes the deployment has at most, a replacement included; they share the database's
                   connections

  Exit code 0: no fault; 1: at least one.
`;

const OPTIONS = { json: { type: 'boolean', default: false }, processes: { type: 'string' } } as const;

/** Null if the arguments are not right. */
function readArguments(args: string[]) {
  try {
    const { values } = parseArgs({ args, options: OPTIONS });
    const { json, processes = null } = values;
    if (processes !== null && !/^[1-9]\d{0,3}$/.test(processes)) return null;
    return { json, processes: processes === null ? null : Number(processes) };
  } catch {
    return null;
  }
}

/** The configuration, or what is wrong with it. */
function readOrExplain(): Config | ConfigError {
  try {
    return readConfig();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

async function run(processes: number | null): Promise<Report> {
  const config = readOrExplain();
  if (config instanceof ConfigError) return explainConfig(config);
  const examination = await beginExamination(config, processes);
  try {
    return await examine(examination);
  } finally {
    await examination.close();
  }
}

const asked = readArguments(process.argv.slice(2));
if (asked === null) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  try {
    const report = await run(asked.processes);
    const lines = asked.json ? [JSON.stringify({ program: VERSION, ...report }, null, 2)] : linesOf(report);
    for (const line of lines) process.stdout.write(`${line}\n`);
    process.exitCode = report.faults > 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}
