// `npm run bench -- rates`: quotes from memory against PostgreSQL and against bare floating-point numbers, and calls to
// a process with and without polls of a feed whose answer has 2 MiB.

import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { describe, openServer, type Server } from '../shared/environment.ts';
import { alignColumns, median, ratio, round } from '../shared/report.ts';
import { openDatabase } from '../settle/environment.ts';
import { openCalls, type CallRun } from './calls.ts';
import { contestants, openRates } from './quotes.ts';

const RESULTS = 'bench/results';
const USAGE = `npm run bench -- rates [options]
  --rounds N      rounds, each contestant once in each (5)
  --seconds N     seconds of each run (3)
  --smoke         one short round, for CI: fails on errors and missing polls, never on a rate
  --json          the report as JSON on the standard output; without it a table, and JSON in ${RESULTS}/rates.json
  --dir FOLDER    where the temporary database is kept (the system's folder for temporary files)
`;

interface Report {
  readonly bench: 'rates';
  readonly rounds: number;
  readonly seconds: number;
  readonly environment: Readonly<Record<string, string | number>>;
  /** Quotes a second: the median of the rounds, and that of the ratios to PostgreSQL within each. */
  readonly quotes: readonly { readonly name: string; readonly rate: number; readonly toPostgres: number }[];
  readonly calls: {
    /** The bytes of the feed's answer. */
    readonly bytes: number;
    readonly polls: number;
    readonly runs: readonly {
      readonly name: string;
      readonly p50Ms: number;
      readonly p99Ms: number;
      readonly longestPauseMs: number;
    }[];
    /** The median of the ratios of p99 within each round, with polls to without. */
    readonly p99Ratio: number;
  };
}

/** Runs the bench; returns the exit code. */
export async function benchRates(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) return say(process.stdout, USAGE);
  const server = await openServer(options.dir);
  try {
    const report = await measure(server, options);
    const json = `${JSON.stringify(report, null, 2)}\n`;
    if (options.json) return say(process.stdout, json);
    if (!options.smoke) {
      await mkdir(RESULTS, { recursive: true });
      await writeFile(`${RESULTS}/rates.json`, json);
    }
    return say(process.stdout, render(report));
  } catch (error) {
    say(process.stderr, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 1;
  } finally {
    await server.close();
  }
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      smoke: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      dir: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const whole = (name: string, text: string): number => {
    if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${name} must be a whole number from 1`);
    return Number(text);
  };
  return {
    ...values,
    rounds: values.smoke ? 1 : whole('rounds', values.rounds),
    seconds: values.smoke ? 1 : whole('seconds', values.seconds),
  };
}

async function measure(server: Server, { rounds, seconds }: ReturnType<typeof readOptions>): Promise<Report> {
  const { db, client } = await openDatabase(server, 'rates');
  const rates = await openRates(db);
  const calls = await openCalls(db, rates);
  const quoting = contestants(db, rates);
  const quotes = new Map<string, number[]>(quoting.map(({ name }) => [name, []]));
  const plain: CallRun[] = [];
  const polling: CallRun[] = [];
  try {
    for (let nth = 1; nth <= rounds; nth += 1) {
      say(process.stderr, `round ${nth} of ${rounds}\n`);
      for (const { name, run } of quoting) quotes.get(name)?.push(await run(seconds));
      plain.push(checked(await calls.run(seconds, { isPolling: false })));
      polling.push(checked(await calls.run(seconds, { isPolling: true })));
    }
    const polls = polling.reduce((sum, run) => sum + run.polls, 0);
    if (polls < rounds) throw new Error(`${String(polls)} polls were stored in ${String(rounds)} rounds`);
    const postgres = quotes.get('PostgreSQL') ?? [];
    return {
      ...{ bench: 'rates', rounds, seconds, environment: await describe(client) },
      quotes: [...quotes].map(([name, each]) => ({
        ...{ name, rate: round(median(each)), toPostgres: round(ratio(each, postgres), 2) },
      })),
      calls: {
        ...{ bytes: calls.bytes, polls, runs: [summarize('without polls', plain), summarize('with polls', polling)] },
        p99Ratio: round(
          ratio(
            polling.map(({ p99Ms }) => p99Ms),
            plain.map(({ p99Ms }) => p99Ms),
          ),
          2,
        ),
      },
    };
  } finally {
    await calls.close();
  }
}

/** Throws for a call that was not answered with a quote. */
function checked(run: CallRun): CallRun {
  if (run.failures > 0) throw new Error(`${String(run.failures)} calls failed: ${run.firstFailure ?? ''}`);
  return run;
}

const summarize = (name: string, runs: readonly CallRun[]) => ({
  name,
  p50Ms: round(median(runs.map(({ p50Ms }) => p50Ms)), 2),
  p99Ms: round(median(runs.map(({ p99Ms }) => p99Ms)), 2),
  longestPauseMs: round(median(runs.map(({ longestPauseMs }) => longestPauseMs)), 1),
});

function render({ quotes, calls, rounds, seconds, environment }: Report): string {
  const quoted = quotes.map(({ name, rate, toPostgres }) => [name, String(rate), toPostgres.toFixed(2)]);
  const called = calls.runs.map(({ name, p50Ms, p99Ms, longestPauseMs }) => [
    ...[name, p50Ms.toFixed(2), p99Ms.toFixed(2), longestPauseMs.toFixed(1)],
  ]);
  return `
${alignColumns([['quotes', 'per second', '/ PostgreSQL'], ...quoted])}

${alignColumns([['calls', 'p50 ms', 'p99 ms', 'longest pause ms'], ...called])}

p99 with polls is ${calls.p99Ratio.toFixed(2)} of that without; ${calls.polls} polls of ${calls.bytes} bytes.
Median of ${rounds} interleaved round(s) of ${seconds} s; ${Object.entries(environment)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}.
`;
}

function say(stream: NodeJS.WriteStream, text: string): 0 {
  stream.write(text);
  return 0;
}
