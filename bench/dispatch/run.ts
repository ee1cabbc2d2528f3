// `npm run bench -- dispatch`: webhooks posted and recorded a second, against the same posts without a database and
// against two job queues on the same PostgreSQL; and what an endpoint that hangs costs its neighbours.

import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { enterCandidates, type DispatchCandidate } from './candidates.ts';
import { measureLatency } from './latency.ts';
import { renderDispatch, summarizeDispatch, type DispatchMeasured, type DispatchReport } from './report.ts';
import { openDispatchEnvironment, type DispatchEnvironment } from './environment.ts';
import { describe } from '../shared/environment.ts';

const RESULTS = 'bench/results';
const MERCHANTS = 5;
const ENDPOINTS_EACH = 4;
const USAGE = `npm run bench -- dispatch [options]
  --rounds N        rounds, each candidate once in each (3)
  --deliveries N    deliveries of a candidate in a round (50000)
  --concurrency N   posts in flight at once (256)
  --stuck N         deliveries that are due at the endpoint that hangs (100000)
  --smoke           one small round of each measure, for CI: fails on errors and lost deliveries, never on a figure
  --json            the report as JSON on the standard output; without it a table, and JSON in ${RESULTS}/dispatch.json
  --dir FOLDER      where the temporary database is kept (the system's folder for temporary files)
  --only NAMES      some of gateway,undici,undici-dispatch,graphile-worker,pg-boss,latency
`;

/** Runs the bench; returns the exit code. */
export async function benchDispatch(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) return say(process.stdout, USAGE);
  const setup = await openDispatchEnvironment(options.dir);
  try {
    const report = await measure(setup, options);
    const json = `${JSON.stringify(report, null, 2)}\n`;
    if (options.json) return say(process.stdout, json);
    if (!options.smoke) {
      await mkdir(RESULTS, { recursive: true });
      await writeFile(`${RESULTS}/dispatch.json`, json);
    }
    return say(process.stdout, renderDispatch(report));
  } catch (error) {
    say(process.stderr, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return 1;
  } finally {
    await setup.close();
  }
}

function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      deliveries: { type: 'string', default: '50000' },
      concurrency: { type: 'string', default: '256' },
      stuck: { type: 'string', default: '100000' },
      smoke: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      dir: { type: 'string' },
      only: { type: 'string', default: 'gateway,undici,undici-dispatch,graphile-worker,pg-boss,latency' },
      help: { type: 'boolean', default: false },
    },
  });
  const read = (name: 'rounds' | 'deliveries' | 'concurrency' | 'stuck', inSmoke?: number) => {
    const value = values.smoke && inSmoke !== undefined ? inSmoke : Number(values[name]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number from 1`);
    return value;
  };
  return {
    ...values,
    rounds: read('rounds', 1),
    deliveries: read('deliveries', 1_000),
    concurrency: read('concurrency'),
    stuck: read('stuck', 1_000),
  };
}

type Options = ReturnType<typeof readOptions>;

async function measure(setup: DispatchEnvironment, options: Options): Promise<DispatchReport> {
  const names = options.only.split(',');
  const measured = await measureRates(setup, options, names);
  const latency = names.includes('latency')
    ? await measureLatency(setup, { stuck: options.stuck, events: options.smoke ? 20 : 100, rounds: options.rounds })
    : null;
  const { rounds, deliveries, concurrency } = options;
  const endpoints = MERCHANTS * ENDPOINTS_EACH;
  const environment = await describe(setup.client);
  return summarizeDispatch({ rounds, deliveries, concurrency, endpoints, measured, latency, environment });
}

async function measureRates(setup: DispatchEnvironment, options: Options, names: readonly string[]) {
  const { rounds, concurrency, smoke } = options;
  const perEvent = MERCHANTS * ENDPOINTS_EACH;
  const count = Math.ceil(options.deliveries / perEvent) * perEvent;
  const merchants = [];
  for (let n = 0; n < MERCHANTS; n += 1) {
    merchants.push(await setup.addMerchant(Array.from({ length: ENDPOINTS_EACH }, (_, k) => `/count/${n}/${k}`)));
  }
  const candidates = await enterCandidates(setup, { names, merchants, concurrency });
  try {
    // Warm up compilers and caches on all sides before anything counts.
    if (!smoke) for (const candidate of candidates) await runOnce(setup, candidate, count / 5);
    const measured: DispatchMeasured[] = candidates.map(({ name }) => ({ name, samples: [] }));
    for (let round = 1; round <= rounds; round += 1) {
      say(process.stderr, `round ${round} of ${rounds}:`);
      for (const [index, candidate] of candidates.entries()) {
        const sample = await runOnce(setup, candidate, count);
        measured[index]?.samples.push(sample);
        say(process.stderr, ` ${candidate.name} ${Math.round(sample.count / sample.seconds)}`);
      }
      say(process.stderr, '\n');
    }
    return measured;
  } finally {
    for (const candidate of candidates) await candidate.close();
  }
}

/** One run; every delivery must have arrived exactly once and be recorded. */
async function runOnce(setup: DispatchEnvironment, candidate: DispatchCandidate, count: number) {
  await candidate.prepare(count);
  await setup.seen();
  const beforeMs = await setup.serverCpuMs();
  const sample = await candidate.run(count);
  const afterMs = await setup.serverCpuMs();
  const { requests, deliveries } = await setup.seen();
  if (sample.failures > 0)
    throw new Error(`${candidate.name}: ${sample.failures} failed: ${sample.firstFailure ?? '?'}`);
  if (requests !== count || deliveries !== count)
    throw new Error(`${candidate.name}: of ${count} deliveries ${deliveries} arrived in ${requests} requests`);
  await candidate.check(count);
  return { ...sample, serverMicros: ((afterMs ?? Number.NaN) - (beforeMs ?? Number.NaN)) * (1_000 / count) };
}

function say(stream: NodeJS.WriteStream, text: string): 0 {
  stream.write(text);
  return 0;
}
