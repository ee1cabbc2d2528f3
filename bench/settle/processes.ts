// Measures whether processes that settle at once wait for each other. A process settles a network of its own, as an
// observer does: the gateway's accounts, `fees` and `custody`, are of one asset on one network, and blocks of a network
// are applied one after another under the lock of its cursor. The reference is one process that settles as much alone.

import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { ASSETS, NETWORK_CODES, type Network } from '../../src/values/assets.ts';
import { paymentBody } from '../create/payment.ts';
import { describe, type Server } from '../shared/environment.ts';
import { alignColumns, median, round } from '../shared/report.ts';
import { startRunProcess, type RunProcess, type Sample } from '../shared/run-process.ts';
import { checkSettled, openDatabase } from './environment.ts';

/** What one process is to settle: payments with the row numbers after `rows`. */
export interface SettleTask {
  readonly databaseUrl: string;
  readonly network: Network;
  readonly rows: number;
  readonly perBlock: number;
  readonly deposits: number;
}

/** Deposits in a block, and all that are settled in a run. */
const PER_BLOCK = 20;
const DEPOSITS = 4_000;
const SAMPLE_EVERY_MS = 5;
/** The networks that have the currency of the payments. */
const CANDIDATES = NETWORK_CODES.filter((code) =>
  ASSETS.some(({ network, currency }) => network === code && currency === paymentBody.currency),
);

interface Run {
  readonly perSecond: number;
  /** CPU of all processes for each deposit, in microseconds. */
  readonly ownMicros: number;
  /** Of the backends that were at work, the share that waited for a lock of another's, and the share that committed. */
  readonly locked: number;
  readonly committing: number;
}

/** Runs one process and `processes` of them in turn; returns the table. Throws if a deposit is missing or doubled. */
export async function measureProcesses(server: Server, processes: number, rounds: number): Promise<string> {
  if (processes > CANDIDATES.length) throw new Error(`--processes: at most ${CANDIDATES.length}, a network for each`);
  const counts = [1, processes];
  const runs = new Map<number, Run[]>(counts.map((count) => [count, []]));
  for (let turn = 1; turn <= rounds; turn += 1)
    for (const count of counts) {
      const run = await settleAtOnce(server, `at_once_${turn}_${count}`, count);
      runs.get(count)?.push(run);
      process.stderr.write(`round ${turn}, ${count} process(es): ${Math.round(run.perSecond)} a second\n`);
    }
  return render(runs, await describe(await connect(server)));
}

async function connect(server: Server): Promise<pg.Client> {
  const client = new pg.Client(server.postgres.url);
  await client.connect();
  server.stops.push(() => client.end());
  return client;
}

async function settleAtOnce(server: Server, name: string, processes: number): Promise<Run> {
  const { db, client, url } = await openDatabase(server, name);
  const each = DEPOSITS / processes;
  const own = Array.from({ length: processes }, () =>
    startRunProcess<SettleTask>(new URL('./settle-process.js', import.meta.url)),
  );
  try {
    const tasks = own.map((_, place): SettleTask => {
      const network = CANDIDATES[place] ?? 'ETH';
      return { databaseUrl: url, network, rows: place * each, perBlock: PER_BLOCK, deposits: each };
    });
    const { samples, waits } = await runAll(client, own, tasks);
    await checkSettled(db, client, DEPOSITS);
    const seconds = Math.max(...samples.map((sample) => sample.seconds));
    const ownMicros = samples.reduce((sum, { gatewayMicros = 0 }) => sum + gatewayMicros, 0) / processes;
    return { perSecond: DEPOSITS / seconds, ownMicros, ...waits };
  } finally {
    await Promise.all(own.map((one) => one.close()));
  }
}

async function runAll(client: pg.Client, own: readonly RunProcess<SettleTask>[], tasks: readonly SettleTask[]) {
  let isDone = false;
  const settling = Promise.all(own.map((one, place) => one.run(tasks[place] as SettleTask, 0))).finally(() => {
    isDone = true;
  });
  const seen = { all: 0, locked: 0, committing: 0 };
  while (!isDone) {
    for (const [kind, count] of Object.entries(await readWaits(client))) seen[kind as keyof typeof seen] += count;
    await rest(SAMPLE_EVERY_MS);
  }
  const share = (count: number) => (seen.all === 0 ? 0 : count / seen.all);
  const samples: Sample[] = await settling;
  return { samples, waits: { locked: share(seen.locked), committing: share(seen.committing) } };
}

/** The backends that are at work now, those of them that wait for another's lock, and those that write the log. */
async function readWaits(client: pg.Client) {
  const { rows } = await client.query<{ all: number; locked: number; committing: number }>(
    `select count(*)::int as all, count(*) filter (where wait_event_type = 'Lock')::int as locked,
       count(*) filter (where wait_event in ('WALSync', 'WALWrite', 'WalSync', 'WalWrite'))::int as committing
     from pg_stat_activity where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`,
  );
  return rows[0] ?? { all: 0, locked: 0, committing: 0 };
}

function render(runs: ReadonlyMap<number, readonly Run[]>, environment: Readonly<Record<string, string | number>>) {
  const of = (own: readonly Run[], pick: (run: Run) => number) => median(own.map(pick));
  const [alone] = [...runs.values()];
  const base = of(alone ?? [], ({ perSecond }) => perSecond);
  const lines = [...runs].map(([count, own]) => [
    `${count} process${count === 1 ? '' : 'es'}`,
    String(round(of(own, ({ perSecond }) => perSecond))),
    (of(own, ({ perSecond }) => perSecond) / base).toFixed(2),
    String(round(of(own, ({ ownMicros }) => ownMicros))),
    `${(100 * of(own, ({ locked }) => locked)).toFixed(1)} %`,
    `${(100 * of(own, ({ committing }) => committing)).toFixed(1)} %`,
  ]);
  const head = ['settled at once', 'per second', '/ one', 'own CPU µs', 'waits for locks', 'waits for the log'];
  return `
${alignColumns([head, ...lines])}

${DEPOSITS} deposits in each run, ${PER_BLOCK} a block; ${Object.entries(environment)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')}.
All deposits are settled with all rows, and every ledger verifies.
`;
}
