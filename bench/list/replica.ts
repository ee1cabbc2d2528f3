// `npm run bench -- list --replica`: what a page costs the primary, with and without a replica to read from. Two
// gateways serve the same database, one of them with DATABASE_READ_URLS, in interleaved rounds.

import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { pino } from 'pino';
import { makeReplica } from '../../scripts/postgres-copies.ts';
import { startPostgres } from '../../src/sandbox/postgres/supervisor.ts';
import { startGateway, type Server } from '../shared/environment.ts';
import type { HttpTask } from '../shared/http-load.ts';
import { alignColumns, median, round } from '../shared/report.ts';
import type { RunProcess, Sample } from '../shared/run-process.ts';
import { apiOnly, openListSetup, type ListEnvironment, type Served } from './environment.ts';
import { overRest, searchOverGraphQL, SHAPES, type PageRequest } from './shapes.ts';

interface ReplicaOptions {
  readonly counts: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly only: readonly string[];
  readonly connections: number;
  readonly load: RunProcess<HttpTask>;
  readonly onProgress: (text: string) => void;
}

interface Page {
  readonly name: string;
  readonly request: PageRequest;
}

/** Pages of the list bench; those in the middle of a list cost the same as its first. */
const listed = (setup: ListEnvironment): Page[] =>
  SHAPES.filter(({ after }) => !after).map(({ name, path, query, isSearch }) => ({
    name,
    request: isSearch ? searchOverGraphQL(query(setup)) : overRest(path, query(setup)),
  }));

const SUMS = 'currency network payments gross fees net refunded withdrawn';
const graphql = (query: string): PageRequest => ({
  ...{ method: 'POST', path: '/graphql', body: JSON.stringify({ query: `{ ${query} }` }) },
});
const DAY_MS = 86_400_000;

/** What the console's first page asks for, besides lists, and reports. */
function overview({ timeOf, count }: ListEnvironment): Page[] {
  const start = new Date(timeOf(count).getTime() - 365 * DAY_MS).toISOString();
  const year = `report(input: { startDate: "${start}", groupBy: MONTH })`;
  return [
    { name: 'movements', request: overRest('/reports/movements', []) },
    { name: 'balances', request: overRest('/wallet/balance', []) },
    { name: 'payment counts', request: graphql('paymentCounts { all open waiting paid unpaid successRate }') },
    { name: 'report, thirty days', request: graphql(`report { totals { ${SUMS} } rows { period ${SUMS} } }`) },
    { name: 'report, a year', request: graphql(`${year} { totals { ${SUMS} } rows { period ${SUMS} } }`) },
  ];
}

type Side = 'primary' | 'replica';

interface Figures {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the primary's processes for each page, in microseconds, without what they use at rest. */
  readonly primaryMicros: number;
  /** Of the gateway's process. */
  readonly gatewayMicros: number;
  /** The share of the reads that a replica answered. */
  readonly answered: number;
}

export interface ReplicaReport {
  readonly bench: 'list --replica';
  readonly count: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly pages: readonly (Readonly<Record<Side, Figures>> & {
    readonly name: string;
    /** The share of the primary's CPU time that is no longer spent there. */
    readonly off: number;
  })[];
}

interface Measured extends Sample {
  readonly primaryMicros: number;
  readonly answered: number;
}

/** Measures all pages on both sides. */
export async function measureReplica(server: Server, options: ReplicaOptions): Promise<ReplicaReport> {
  const { counts, rounds, seconds, only, connections, load, onProgress } = options;
  const count = counts.at(-1) ?? 0;
  const variables = await apiOnly(server);
  onProgress(`writing ${String(count)} rows of each list\n`);
  const setup = await openListSetup(server, count, variables, undefined);
  onProgress('copying the server\n');
  const replicaUrl = await startReplica(server, `list_${String(count)}`);
  const databaseUrl = server.postgres.url.replace(/\/[^/]*$/, `/list_${String(count)}`);
  const dir = await mkdtemp(join(server.dir, 'reading-'));
  const own = { ...variables, DATABASE_READ_URLS: replicaUrl };
  const reading = await startGateway({ dir, databaseUrl, profile: undefined, stops: server.stops, variables: own });
  const sides = { primary: setup.gateway, replica: { ...setup.gateway, ...reading } };
  const wanted = ({ name }: Page) => only.some((text) => name.includes(text));
  const pages = [...listed(setup), ...overview(setup)].filter(wanted);
  const samples = new Map<string, Record<Side, Measured[]>>();
  for (let nth = 0; nth <= rounds; nth += 1) {
    onProgress(nth === 0 ? 'warming up\n' : `round ${String(nth)} of ${String(rounds)}\n`);
    // Each process has work of its own, whether anybody reads or not.
    const idle = await idleShare(server);
    for (const page of pages)
      for (const [side, served] of Object.entries(sides)) {
        const task = taskOf(page.request, served, connections);
        const sample = await runOnce(server, load, { task, seconds, pid: served.pid, idle });
        if (nth === 0) continue;
        const both = samples.get(page.name) ?? { primary: [], replica: [] };
        both[side as Side].push(sample);
        samples.set(page.name, both);
      }
  }
  return {
    ...{ bench: 'list --replica', count, rounds, seconds, connections },
    pages: [...samples].map(([name, both]) => {
      const [primary, replica] = [figuresOf(both.primary), figuresOf(both.replica)];
      return { name, primary, replica, off: round(1 - replica.primaryMicros / primary.primaryMicros, 2) };
    }),
  };
}

function taskOf({ method, path, body }: PageRequest, { port, headers }: Served, connections: number): HttpTask {
  const json = method === 'POST' ? { 'Content-Type': 'application/json' } : {};
  return {
    ...{ method, path, body, port, keyed: false, headers: { ...headers, ...json }, connections },
    ...{ expectStatus: 200, expectBody: method === 'POST' ? '{"data":{"' : '{"success":true' },
  };
}

function figuresOf(samples: readonly Measured[]): Figures {
  const of = (value: (sample: Measured) => number) => median(samples.map(value));
  return {
    perSecond: round(of(({ count, seconds }) => count / seconds)),
    p50Ms: round(
      of(({ p50Ms }) => p50Ms),
      2,
    ),
    p99Ms: round(
      of(({ p99Ms }) => p99Ms),
      2,
    ),
    primaryMicros: round(of(({ primaryMicros }) => primaryMicros)),
    gatewayMicros: round(of(({ gatewayMicros }) => gatewayMicros ?? Number.NaN)),
    answered: round(
      of(({ answered }) => answered),
      2,
    ),
  };
}

interface Run {
  readonly task: HttpTask;
  readonly seconds: number;
  readonly pid: number;
  readonly idle: number;
}

async function runOnce(server: Server, load: RunProcess<HttpTask>, { task, seconds, pid, idle }: Run) {
  const readsBefore = await readsOf(task.port);
  const [before, gatewayBefore] = [await primaryCpuMs(server), (await timesOf(pid)).own];
  const startedAt = performance.now();
  const sample = await load.run(task, seconds);
  if (sample.failures > 0 || sample.count === 0)
    throw new Error(
      `${task.path}: ${String(sample.failures)} calls failed; first failure: ${sample.firstFailure ?? '?'}`,
    );
  // The API log of the calls is written within half a second, and is a part of what they cost.
  await rest(LOGGED_WITHIN_MS);
  const usedMs = (await primaryCpuMs(server)) - before - idle * (performance.now() - startedAt);
  const gatewayMs = (await timesOf(pid)).own - gatewayBefore;
  const each = (ms: number) => (Math.max(0, ms) * 1_000) / sample.count;
  const reads = await readsOf(task.port);
  const byReplica = reads.replica - readsBefore.replica;
  const answered = byReplica === 0 ? 0 : byReplica / (byReplica + reads.primary - readsBefore.primary);
  return { ...sample, primaryMicros: each(usedMs), gatewayMicros: each(gatewayMs), answered };
}

/** How many reads a gateway has had answered by replicas, and by the primary although there are some. */
async function readsOf(port: number): Promise<Record<Side, number>> {
  const text = await (await fetch(`http://127.0.0.1:${String(port)}/metrics`)).text();
  const of = (server: Side) =>
    [...text.matchAll(new RegExp(`^turnpike_replica_reads_total\\{server="${server}".*\\} (\\d+)$`, 'gm'))]
      .map(([, count]) => Number(count))
      .reduce((sum, count) => sum + count, 0);
  return { primary: of('primary'), replica: of('replica') };
}

const LOGGED_WITHIN_MS = 700;
const IDLE_MS = 3_000;

/** The share of a core that the primary uses while nobody reads. */
async function idleShare(server: Server): Promise<number> {
  await rest(LOGGED_WITHIN_MS);
  const before = await primaryCpuMs(server);
  const startedAt = performance.now();
  await rest(IDLE_MS);
  return ((await primaryCpuMs(server)) - before) / (performance.now() - startedAt);
}

/** The CPU time of the primary: of its processes, and of those that have ended. */
async function primaryCpuMs({ postgres }: Server): Promise<number> {
  const pid = postgres.pid();
  const children = (await readFile(`/proc/${String(pid)}/task/${String(pid)}/children`, 'utf8')).split(' ');
  const { own, ended } = await timesOf(pid);
  const living = await Promise.all(children.filter((child) => child !== '').map((child) => timesOf(Number(child))));
  return own + ended + living.reduce((sum, one) => sum + one.own, 0);
}

/** User and system time in milliseconds, of a process and of its children that it has waited for. */
async function timesOf(pid: number): Promise<{ own: number; ended: number }> {
  const text = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => null);
  const fields =
    text
      ?.slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number) ?? [];
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
  return { own: (user + system) * 10, ended: (childrenUser + childrenSystem) * 10 };
}

const run = promisify(execFile);

/** Starts a standby on a copy of the running server, and waits until it has everything; returns its URL. */
async function startReplica(server: Server, database: string): Promise<string> {
  const { postgres, dir: parent } = server;
  const dir = await mkdtemp(join(parent, 'replica-'));
  await chmod(dir, 0o755);
  const client = new pg.Client(postgres.url);
  await client.connect();
  try {
    const { rows: folders } = await client.query<{ path: string }>(`select current_setting('data_directory') as path`);
    const source = folders[0]?.path ?? '';
    const copy = join(dir, 'copy');
    await client.query(`select pg_backup_start('replica', true)`);
    // Files may vanish while they are copied; the log makes up for them.
    await run('cp', ['-a', source, copy]).catch(() => undefined);
    const { rows } = await client.query<{ label: string }>('select labelfile as label from pg_backup_stop(true)');
    const { uid, gid } = await stat(join(source, 'PG_VERSION'));
    await run('rm', ['-f', join(copy, 'postmaster.pid')]);
    await writeFile(join(copy, 'backup_label'), rows[0]?.label ?? '');
    await chown(join(copy, 'backup_label'), uid, gid);
    await makeReplica(dir, copy, postgres.url);
    const replica = await startPostgres({ dataDir: dir, log: pino({ level: 'silent' }) });
    server.stops.push(() => replica.stop());
    await untilThere(client, replica.url);
    return replica.url.replace(/\/[^/]*$/, `/${database}`);
  } finally {
    await client.end();
  }
}

async function untilThere(primary: pg.Client, url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await primary.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
    const text = 'select pg_last_wal_replay_lsn() >= $1 as there';
    while ((await client.query<{ there: boolean }>(text, [rows[0]?.lsn])).rows[0]?.there !== true) await rest(50);
  } finally {
    await client.end();
  }
}

/** The report as a table for the terminal. */
export function renderReplica({ pages, count, rounds, seconds, connections }: ReplicaReport): string {
  const head = [
    ...['page', 'primary µs', 'with replica µs', 'off', 'pages /s', 'with replica /s', 'p50 ms', 'with replica'],
    ...['gateway µs', 'with replica', 'answered by it'],
  ];
  const lines = pages.map(({ name, primary, replica, off }) => [
    ...[name, String(primary.primaryMicros), String(replica.primaryMicros), `${(100 * off).toFixed(0)} %`],
    ...[String(primary.perSecond), String(replica.perSecond), primary.p50Ms.toFixed(1), replica.p50Ms.toFixed(1)],
    ...[String(primary.gatewayMicros), String(replica.gatewayMicros), `${(100 * replica.answered).toFixed(0)} %`],
  ]);
  return `
${alignColumns([head, ...lines])}

${String(connections)} connections, medians of ${String(rounds)} interleaved round(s) of ${String(seconds)} s, ${String(count)} rows of the merchant.
`;
}
