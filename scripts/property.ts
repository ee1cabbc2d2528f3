// `npm run property -- --runs N`: the property tests at length, with N random histories for each property on PostgreSQL;
// as they cost less, 33 times as many for each of the pure functions; and a fifteenth of them on a real chain.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeReport, type JestReport } from './property-report.ts';

const USAGE = 'Usage: npm run property -- [--runs N]   (300 unless said otherwise)\n';
const DEFAULT_RUNS = 300;
/** 10,000 of the pure functions and 20 on a real chain go with 300 on PostgreSQL. */
const countsFor = (runs: number) => ({
  HISTORY_RUNS: runs,
  PROPERTY_RUNS: Math.ceil((runs * 100) / 3),
  CHAIN_RUNS: Math.ceil(runs / 15),
});
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

async function main(args: readonly string[]): Promise<number> {
  const runs = readRuns(args);
  if (runs === null) {
    process.stderr.write(USAGE);
    return 2;
  }
  const counts = countsFor(runs);
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-property-'));
  try {
    const report = join(folder, 'report.json');
    const code = await runJest(report, counts);
    for (const line of await readReport(report, counts)) process.stdout.write(`${line}\n`);
    return code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function readRuns(args: readonly string[]): number | null {
  try {
    const { values } = parseArgs({ args: [...args], options: { runs: { type: 'string' } } });
    const runs = Number(values.runs ?? DEFAULT_RUNS);
    return Number.isSafeInteger(runs) && runs > 0 ? runs : null;
  } catch {
    return null;
  }
}

/** What fails is printed by jest as it happens: the seed, and the smallest history as a test to paste. */
async function runJest(report: string, counts: Readonly<Record<string, number>>): Promise<number> {
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const node = ['--enable-source-maps', '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const options = ['--testPathPatterns', String.raw`\.property\.test`, '--testTimeout', '3600000'];
  const variables = Object.entries(counts).map(([name, count]) => [name, String(count)]);
  const child = spawn(process.execPath, [...node, jest, ...options, '--json', '--outputFile', report], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...(Object.fromEntries(variables) as Record<string, string>) },
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

async function readReport(report: string, counts: Readonly<Record<string, number>>): Promise<string[]> {
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as JestReport;
  const files = testResults.map(async (file) => ({ ...file, source: await readFile(file.name, 'utf8') }));
  return describeReport(await Promise.all(files), counts);
}

process.exitCode = await main(process.argv.slice(2));
