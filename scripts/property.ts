// `npm run property -- --runs N`: the property tests at length. Each property on PostgreSQL is tried with N random
// histories, each property of a pure function with 33 times as many, each on a real chain with a fifteenth, and those
// on hostile chains, with as many or with `--hostile`, share them by what one costs. The histories are the same every
// time, except that those on hostile chains follow `--seed`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { describeReport, type JestReport } from './property-report.ts';

const USAGE = 'Usage: npm run property -- [--runs N] [--hostile N] [--seed N] [NAME…]   (300 of each by default)\n';
const DEFAULT_RUNS = 300;
/** A history with outputs, or with Solana's short blocks, takes more than half as long again as one of the others. */
const HOSTILE_SHARES = {
  ...{ HOSTILE_EVM_RUNS: 0.35, HOSTILE_TRON_RUNS: 0.35 },
  ...{ HOSTILE_UTXO_RUNS: 0.15, HOSTILE_SOLANA_RUNS: 0.15 },
};
/** With 300 on PostgreSQL: 10,000 of the pure functions, 20 on a real chain and 300 on all kinds of hostile chains. */
const countsFor = ({ runs, hostile }: Pick<Wish, 'runs' | 'hostile'>) => ({
  HISTORY_RUNS: runs,
  PROPERTY_RUNS: Math.ceil((runs * 100) / 3),
  CHAIN_RUNS: Math.ceil(runs / 15),
  ...Object.fromEntries(Object.entries(HOSTILE_SHARES).map(([name, share]) => [name, Math.ceil(hostile * share)])),
});
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Wish {
  readonly runs: number;
  /** Histories on all kinds of hostile chains together. */
  readonly hostile: number;
  /** Null for the test files' own seed. */
  readonly seed: number | null;
  /** Parts of file paths; all files if empty. */
  readonly names: readonly string[];
}

async function main(args: readonly string[]): Promise<number> {
  const wish = readWish(args);
  if (wish === null) {
    process.stderr.write(USAGE);
    return 2;
  }
  const counts = countsFor(wish);
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-property-'));
  try {
    const report = join(folder, 'report.json');
    const code = await runJest(report, wish);
    for (const line of await readReport(report, counts)) process.stdout.write(`${line}\n`);
    return code;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function readWish(args: readonly string[]): Wish | null {
  try {
    const text = { type: 'string' } as const;
    const options = { runs: text, hostile: text, seed: text };
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const runs = Number(values.runs ?? DEFAULT_RUNS);
    const hostile = Number(values.hostile ?? runs);
    const seed = values.seed === undefined ? null : Number(values.seed);
    const areCounts = [runs, hostile].every((count) => Number.isSafeInteger(count) && count > 0);
    const isGood = areCounts && (seed === null || Number.isSafeInteger(seed));
    return isGood ? { runs, hostile, seed, names: positionals } : null;
  } catch {
    return null;
  }
}

/** jest prints failures as they happen: the seed, and the smallest history as a test to paste. */
async function runJest(report: string, wish: Wish): Promise<number> {
  const { seed, names } = wish;
  const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
  const node = ['--enable-source-maps', '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const path = String.raw`(${names.join('|')}).*\.property\.test`;
  const options = ['--testPathPatterns', path, '--testTimeout', '3600000'];
  const counts = Object.entries(countsFor(wish)).map(([name, count]) => [name, String(count)]);
  const variables = [...counts, ...(seed === null ? [] : [['HOSTILE_SEED', String(seed)]])];
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
