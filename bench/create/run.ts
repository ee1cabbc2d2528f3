// `npm run bench -- create`: creating payments over REST and over GraphQL, and invoices with a chosen coin over REST,
// against the same inserts without a gateway, by a bare pg client and by pgbench. One PostgreSQL for all, in
// interleaved rounds; what was answered must be stored.

import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { checkRows } from './check-rows.ts';
import { isOfInvoices, type Candidate, type CandidateName } from './candidate.ts';
import { gatewayCandidate, invoicePgbenchCandidate, pgCandidate, pgbenchCandidate } from './candidates.ts';
import { readInvoiceSample } from './invoice/sample.ts';
import { openBenchEnvironment, type BenchEnvironment } from '../shared/environment.ts';
import { findPgbench } from '../shared/pgbench.ts';
import { measureGenerator } from './generator-ceiling.ts';
import { renderTable, summarize, type Measured, type Report } from '../shared/report.ts';
import { openReference, readSample } from './reference-database.ts';

const CONNECTIONS = 64;
const RESULTS = 'bench/results';
const NAMES: readonly CandidateName[] = ['rest', 'graphql', 'pg', 'pgbench', 'invoice', 'invoice-pgbench'];
const USAGE = `npm run bench -- create [options]
  --rounds N      rounds, each candidate once in each (5)
  --seconds S     how long a candidate runs in a round (5)
  --smoke         one round of five seconds, for CI: fails on errors and missing rows, never on a rate
  --json          the report as JSON on the standard output; without it a table, and JSON in ${RESULTS}/create.json
  --dir FOLDER    where the temporary database is kept (the system's folder for temporary files)
  --only NAMES    some of ${NAMES.join()}
  --profile DIR   leaves a CPU profile of the gateway there
  --generator     measures only what the load generator can do against a server that does nothing
`;

/** Runs the bench; returns the exit code. */
export async function benchCreate(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) return say(process.stdout, USAGE);
  if (options.generator) return say(process.stdout, `${await measureGenerator(CONNECTIONS, options.seconds)}\n`);
  const environment = await openBenchEnvironment(options);
  try {
    const report = await measure(environment, options);
    const json = `${JSON.stringify(report, null, 2)}\n`;
    if (options.json) return say(process.stdout, json);
    if (!options.smoke) {
      await mkdir(RESULTS, { recursive: true });
      await writeFile(`${RESULTS}/create.json`, json);
    }
    return say(process.stdout, renderTable(report));
  } catch (error) {
    say(process.stderr, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 1;
  } finally {
    await environment.close();
  }
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '5' },
      smoke: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      dir: { type: 'string' },
      profile: { type: 'string' },
      only: { type: 'string', default: NAMES.join() },
      generator: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { smoke } = values;
  const rounds = smoke ? 1 : Number(values.rounds);
  const seconds = smoke ? 5 : Number(values.seconds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number from 1');
  if (!Number.isInteger(seconds) || seconds < 1) throw new Error('--seconds must be a whole number from 1');
  return { ...values, rounds, seconds };
}

type Options = ReturnType<typeof readOptions>;

async function measure(environment: BenchEnvironment, { rounds, seconds, smoke, only }: Options): Promise<Report> {
  const candidates = await enter(environment, only.split(','));
  try {
    // Warm up compilers and caches on both sides before anything counts.
    if (!smoke) for (const candidate of candidates) await runOnce(candidate, 2);
    const measured: Measured[] = candidates.map(({ name, label }) => ({ name, label, samples: [] }));
    for (let round = 1; round <= rounds; round += 1) {
      say(process.stderr, `round ${round} of ${rounds}:`);
      for (const [index, candidate] of candidates.entries()) {
        const sample = await runOnce(candidate, seconds);
        measured[index]?.samples.push(sample);
        say(process.stderr, ` ${candidate.name} ${Math.round(sample.count / sample.seconds)}`);
      }
      say(process.stderr, '\n');
    }
    const counts = await checkRows(environment, candidates);
    return summarize({
      connections: CONNECTIONS,
      rounds,
      seconds,
      measured,
      ...counts,
      environment: await environment.describe(),
    });
  } finally {
    for (const candidate of candidates) await candidate.close();
  }
}

/** The candidates, in the order in which they run in each round. */
async function enter(environment: BenchEnvironment, given: readonly string[]): Promise<Candidate[]> {
  const unknown = given.filter((name) => !NAMES.some((known) => known === name));
  if (unknown.length > 0) throw new Error(`--only does not know ${unknown.join()}`);
  const reference = await openReference(environment, await readSample(environment));
  const names = NAMES.filter((name) => given.includes(name) && (findPgbench() !== null || !name.endsWith('pgbench')));
  if (given.some((name) => name.endsWith('pgbench')) && findPgbench() === null)
    say(process.stderr, "No pgbench on the PATH (Debian's postgresql-contrib): the bare pg client is the reference.\n");
  const invoice = names.some(isOfInvoices) ? await readInvoiceSample(environment) : null;
  return names.flatMap((name): Candidate[] => {
    if (name === 'pg') return [pgCandidate(reference, CONNECTIONS)];
    if (name === 'pgbench') return [pgbenchCandidate(reference, CONNECTIONS)];
    if (name === 'invoice-pgbench') return invoice ? [invoicePgbenchCandidate(reference, invoice, CONNECTIONS)] : [];
    return [gatewayCandidate(environment, name, CONNECTIONS)];
  });
}

/** One run, including the background work that it leaves behind, so that the next run does not pay for it. */
async function runOnce(candidate: Candidate, seconds: number) {
  const sample = await candidate.run(seconds);
  if (sample.failures > 0)
    throw new Error(`${candidate.name}: ${sample.failures} calls failed; first failure: ${sample.firstFailure ?? '?'}`);
  const settledMs = await candidate.settle();
  return { ...sample, settledMs };
}

function say(stream: NodeJS.WriteStream, text: string): 0 {
  stream.write(text);
  return 0;
}
