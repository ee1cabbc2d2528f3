// npm run chaos: puts the gateway under load, kills its processes with SIGKILL at random, and checks at the end that
// nothing that was answered is lost, nothing is done twice, and every webhook arrived or ended by its rules.
//   npm run chaos -- dispatch --rounds 10 --seconds 4 --seed 1
//   npm run chaos -- money    the same with payouts, and mostly the signer is killed; then the database becomes an
//                             older copy, from its files and from a replica that lagged (not with --copies none)
//   npm run chaos -- overload --seconds 10    kills no process: sends far more calls than can be served, and checks the
//                                             answers
//   npm run chaos -- operations --short       rehearses bad days one by one: see docs/operations/bad-days.md

import { parseArgs } from 'node:util';
import { Violation } from './invariants/violation.ts';
import { createClient } from './load/client.ts';
import { playCopy, WAYS } from './copies/run.ts';
import { gatherEvidence } from './invariants/evidence.ts';
import { judge } from './judge.ts';
import type { Mode } from './load/run.ts';
import { createNotes, type Notes } from './load/client-log.ts';
import { startCrowd } from './overload/crowd.ts';
import { overloadReport } from './overload/report.ts';
import { OVERLOAD_INVARIANTS } from './overload/invariants.ts';
import { runOverload } from './overload/run.ts';
import { runOperations } from './operations/run.ts';
import { createRandom, freshSeed } from './load/random.ts';
import { summary, tableHead, tableRow } from './report.ts';
import { runRounds } from './rounds.ts';
import { INVARIANTS } from './invariants/all.ts';
import { COPY_INVARIANTS, copySummary } from './invariants/copies.ts';
import { settle } from './processes/quiesce.ts';
import { openMerchants } from './load/merchants.ts';
import { openSystem, type System } from './processes/environment.ts';

const RETRY_DELAYS_SECONDS = [1, 1, 1, 1, 2, 2, 2, 2, 2];
type Kind = Mode | 'overload' | 'operations';
const KINDS: readonly Kind[] = ['dispatch', 'money', 'overload', 'operations'];

type Copies = 'both' | 'none';

interface Options {
  readonly mode: Kind;
  readonly rounds: number;
  readonly seconds: number;
  readonly seed: number;
  readonly keep: boolean;
  /** Whether the database is replaced by older copies of itself after the rounds; for money only. */
  readonly copies: Copies;
  /** For operations only: shorter faults, the names of the days (all if empty), and the file of results, if any. */
  readonly short: boolean;
  readonly only: readonly string[];
  readonly record: string | null;
}

const say = (text: string) => void process.stdout.write(`${text}\n`);

function readOptions(): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '10' },
      seconds: { type: 'string', default: '4' },
      seed: { type: 'string', default: String(freshSeed()) },
      keep: { type: 'boolean', default: false },
      copies: { type: 'string', default: 'both' },
      short: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      record: { type: 'string' },
    },
  });
  const mode = KINDS.find((one) => one === (positionals[0] ?? 'dispatch'));
  if (mode === undefined) throw new Error(`The kinds of chaos are: ${KINDS.join(', ')}`);
  const number = (name: 'rounds' | 'seconds' | 'seed') => {
    if (/^\d{1,10}$/.test(values[name])) return Number(values[name]);
    throw new Error(`--${name} is a whole number, not "${values[name]}"`);
  };
  const { keep, copies, short, record = null } = values;
  const only = values.only.split(',').filter(Boolean);
  if (copies !== 'both' && copies !== 'none') throw new Error(`--copies is both or none, not "${copies}"`);
  const numbers = { rounds: number('rounds'), seconds: number('seconds'), seed: number('seed') };
  return { mode, ...numbers, keep, copies, short, only, record };
}

/** Runs the whole mode on an open system. Throws `Violation` at the first rule that does not hold. */
async function run(system: System, options: Options): Promise<void> {
  if (options.mode === 'overload') await overwhelm(system, options);
  else if (options.mode !== 'operations') await killInTurn(system, options.mode, options);
}

async function killInTurn(system: System, mode: Mode, { rounds, seconds, seed, copies }: Options): Promise<void> {
  const random = createRandom(seed);
  const notes = createNotes();
  const client = createClient(system.url, notes.calls);
  notes.shops.push(...(await openMerchants(client, system.receiver.origin)));
  say(tableHead());
  const parts = { client, notes, random: createRandom(seed + 1), receiver: system.receiver.origin };
  const outages = await runRounds(system, parts, { mode, rounds, seconds, random }, (round) => say(tableRow(round)));
  system.receiver.turnHealthy();
  say('The receiver is healthy now; waiting until all work is done');
  await settle(system);
  const evidence = await gatherEvidence(system, { client, notes, outages, retryDelaysSeconds: RETRY_DELAYS_SECONDS });
  say(`\n${summary(evidence)}\n`);
  judge(INVARIANTS, evidence, say);
  if (mode === 'money' && copies === 'both') await playCopies(system, notes, { seconds, seed });
}

/** Replaces the database by an older copy of itself, in each of the ways. */
async function playCopies(system: System, notes: Notes, { seconds, seed }: Pick<Options, 'seconds' | 'seed'>) {
  const known = { payouts: [...notes.payouts], shops: notes.shops, random: createRandom(seed + 3), seconds };
  for (const way of WAYS) {
    const startedAt = performance.now();
    say(`\nNow ${way.words}`);
    const evidence = await playCopy(system, way, known);
    say(`${copySummary(evidence)}; ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
    judge(COPY_INVARIANTS, evidence, say);
  }
}

async function overwhelm(system: System, { seconds }: Options): Promise<void> {
  const crowd = startCrowd();
  const evidence = await runOverload(system, crowd, { seconds, say }).finally(() => crowd.stop());
  say(`${overloadReport(evidence)}\n`);
  judge(OVERLOAD_INVARIANTS, evidence, say);
}

async function main(): Promise<number> {
  const options = readOptions();
  const startedAt = performance.now();
  const took = () => `${((performance.now() - startedAt) / 1_000).toFixed(0)} s`;
  let close: () => Promise<void> = async () => undefined;
  endCleanly(() => close());
  if (options.mode === 'operations') {
    say(`Chaos: operations, ${options.short ? 'short' : 'full'}, seed ${options.seed}`);
    const strict = process.env['CI'] === 'true';
    const failed = await runOperations({ ...options, strict, say, onClose: (closeDay) => (close = closeDay) });
    say(`${took()} in all`);
    return failed === 0 ? 0 : 1;
  }
  const isOverload = options.mode === 'overload';
  const rounds = isOverload
    ? `phases of ${options.seconds} s`
    : `${options.rounds} rounds of ${options.seconds} s or more`;
  say(`Chaos: ${options.mode}, ${rounds}, seed ${options.seed}`);
  const systemOptions = {
    ...{ seed: options.seed + 2, retryDelaysSeconds: RETRY_DELAYS_SECONDS, keep: options.keep },
    // A client that keeps exchanging keys must get 429; the other limits would hide what happens beyond them.
    ...(isOverload && { environment: { RATE_LIMIT_AUTH_PER_MINUTE: '30' } }),
  };
  const system = await openSystem(systemOptions, (closeSystem) => (close = closeSystem));
  try {
    await run(system, options);
    say(`\nEvery rule holds after ${rounds}; ${took()} in all.`);
    return 0;
  } catch (error) {
    tellFailure(system, error);
    say(`\nBroken after ${took()}; run it again with --seed ${options.seed}.`);
    return 1;
  } finally {
    await system.close();
  }
}

/** Leaves nothing behind, however the run is interrupted, even if a signal is repeated. */
function endCleanly(close: () => Promise<void>): void {
  const end = (why: string, exitCode: number) => {
    say(`${why}: cleaning up`);
    void close().finally(() => process.exit(exitCode));
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal, 130));
  process.on('uncaughtException', (error) => end(error.stack ?? error.message, 1));
  // The reader of our output may stop reading, as `head` does.
  process.stdout.on('error', () => undefined);
}

function tellFailure({ core, dispatchers }: System, error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  say(`\n✗ ${error instanceof Violation ? error.message : words}`);
  for (const program of [core, ...dispatchers]) {
    // Dispatchers have no working node, and log that all the time.
    const lines = program.lastWords().filter((line) => !line.includes('"verify ETH"'));
    if (lines.length > 0) say(`\nThe last lines that ${program.name} logged:`);
    for (const line of lines.slice(-5)) say(`  ${line.slice(0, 500)}`);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
