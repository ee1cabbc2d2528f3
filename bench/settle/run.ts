// `npm run bench -- settle`: deposits settled from blocks, against pgbench with the statements of one settlement. One
// PostgreSQL for both, in interleaved rounds; what was settled must be in the rows, and the book must verify.

import { mkdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { describe, openServer, type Server } from '../shared/environment.ts';
import { findPgbench } from '../shared/pgbench.ts';
import { measureSizes } from './table-size.ts';
import { openSettleReference } from './reference.ts';
import { renderSettle, summarizeSettle, type SettleReport, type SettleRun } from './report.ts';
import { openSetup } from './environment.ts';
import { measureProcesses } from './processes.ts';

const RESULTS = 'bench/results';
const USAGE = `npm run bench -- settle [options]
  --rounds N          rounds, each candidate once in each (5)
  --connections N     pgbench's connections (8)
  --smoke             one short round, for CI: fails on errors and missing rows, never on a rate
  --json              the report as JSON on the standard output; without it a table, and JSON in ${RESULTS}/settle.json
  --dir FOLDER        where the temporary database is kept (the system's folder for temporary files)
  --addresses A,B,…   measures instead what a block costs with that many payments in the table, e.g. 10000,10000000
  --processes N       measures instead N processes that settle at once, each a network of its own, and what they wait for
  --shared-buffers S  PostgreSQL's shared_buffers (its default, 128MB; 2GB with --addresses)
`;

/** Deposits per block, and deposits settled in a run. */
const SIZES = [
  { perBlock: 1, deposits: 200 },
  { perBlock: 20, deposits: 2_000 },
  { perBlock: 200, deposits: 6_000 },
];
const REFERENCE_DEPOSITS = 4_000;
/** A quarter of the memory, as PostgreSQL recommends, of a machine for millions of payments. */
const LARGE_BUFFERS = '2GB';

/** Runs the bench; returns the exit code. */
export async function benchSettle(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) return say(process.stdout, USAGE);
  const server = await openServer(
    options.dir,
    options['shared-buffers'] ?? (options.addresses === null ? undefined : LARGE_BUFFERS),
  );
  try {
    if (options.processes !== null)
      return say(process.stdout, await measureProcesses(server, options.processes, options.rounds));
    if (options.addresses !== null) return say(process.stdout, await measureSizes(server, options.addresses));
    const report = await measure(server, options);
    const json = `${JSON.stringify(report, null, 2)}\n`;
    if (options.json) return say(process.stdout, json);
    if (!options.smoke) {
      await mkdir(RESULTS, { recursive: true });
      await writeFile(`${RESULTS}/settle.json`, json);
    }
    return say(process.stdout, renderSettle(report));
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
      connections: { type: 'string', default: '8' },
      smoke: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      dir: { type: 'string' },
      addresses: { type: 'string' },
      processes: { type: 'string' },
      'shared-buffers': { type: 'string' },
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
    connections: whole('connections', values.connections),
    processes: values.processes === undefined ? null : whole('processes', values.processes),
    addresses: values.addresses?.split(',').map((text) => whole('addresses', text)) ?? null,
  };
}

type Options = ReturnType<typeof readOptions>;

async function measure(server: Server, { rounds, connections, smoke }: Options): Promise<SettleReport> {
  const shrink = (count: number) => (smoke ? count / 10 : count);
  const setup = await openSetup(server, 'ours');
  // Warms up compilers and caches, and creates the events that the reference copies.
  await setup.settle(20, shrink(1_000));
  const reference = findPgbench() === null ? null : await openSettleReference(server, setup, connections);
  if (!reference) say(process.stderr, "No pgbench on the PATH (Debian's postgresql-contrib): there is no ratio.\n");
  await reference?.settle(shrink(1_000));
  const runs: SettleRun[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    say(process.stderr, `round ${round} of ${rounds}:`);
    for (const { perBlock, deposits } of SIZES) {
      const run = await setup.settle(perBlock, shrink(deposits));
      runs.push({ round, name: `${perBlock} a block`, ...run });
      say(process.stderr, ` ${perBlock} a block ${Math.round(run.deposits / run.seconds)}`);
    }
    if (reference) {
      const run = await reference.settle(shrink(REFERENCE_DEPOSITS));
      runs.push({ round, name: 'pgbench', ...run });
      say(process.stderr, ` pgbench ${Math.round(run.deposits / run.seconds)}`);
    }
    say(process.stderr, '\n');
  }
  const settled = { ours: await setup.check(), reference: (await reference?.check()) ?? 0 };
  return summarizeSettle({ rounds, connections, environment: await describe(setup.client), settled, runs });
}

function say(stream: NodeJS.WriteStream, text: string): 0 {
  stream.write(text);
  return 0;
}
