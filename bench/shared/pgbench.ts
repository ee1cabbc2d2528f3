// Runs Debian's pgbench with scripts such as the inserts of a created payment, one transaction each.

import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COLUMNS, FRESH, insertText, TABLES, type Fresh, type SampleRow, type SampleRows } from '../create/inserts.ts';
import { percentile, type Sample } from './run-process.ts';

/** Where pgbench runs. */
export interface PgbenchPlace {
  /** The Unix socket's folder. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly connections: number;
  /** The folder that holds scripts and logs during a run. */
  readonly dir: string;
}

export interface PgbenchTask extends PgbenchPlace {
  readonly firstRow: number;
  readonly sample: SampleRows;
}

/**
 * A pgbench script. `:row` is new in each transaction, starting at `firstRow`; `variables` are constants. It runs for
 * some seconds, or for a number of transactions, divided among the connections.
 */
export interface PgbenchScript {
  readonly statements: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly firstRow: number;
  readonly until: { readonly seconds: number } | { readonly transactions: number };
}

/** The version of pgbench; null if it is not on the PATH. */
export function findPgbench(): string | null {
  const { status, stdout } = spawnSync('pgbench', ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : null;
}

/** Runs the inserts of a created payment for some seconds. Throws with pgbench's output if it fails. */
export async function runPgbench({ firstRow, sample, ...place }: PgbenchTask, seconds: number): Promise<Sample> {
  return runScript(place, { ...writeScript(sample), firstRow, until: { seconds } });
}

/** Runs a script once. Throws with pgbench's output if it fails. */
export async function runScript(
  { host, port, user, database, connections, dir: parent }: PgbenchPlace,
  { statements, variables, firstRow, until }: PgbenchScript,
): Promise<Sample> {
  const dir = await mkdtemp(join(parent, 'pgbench-'));
  try {
    const numbering = ['\\set row :first + :n * :clients + :client_id', '\\set n :n + 1'];
    const script = [...numbering, 'begin;', ...statements.map((text) => `${text};`), 'commit;', ''].join('\n');
    await writeFile(join(dir, 'script.sql'), script);
    const defined = Object.entries({ ...variables, first: String(firstRow), n: '0', clients: String(connections) });
    const { stdout } = await promisify(execFile)('pgbench', [
      ...['--no-vacuum', '--protocol=prepared', `--client=${connections}`, `--jobs=${Math.min(2, connections)}`],
      'seconds' in until ? `--time=${until.seconds}` : `--transactions=${until.transactions / connections}`,
      ...['--file', join(dir, 'script.sql'), '--log', '--log-prefix', join(dir, 'log')],
      ...defined.flatMap(([name, value]) => ['--define', `${name}=${value}`]),
      ...['--host', host, '--port', String(port), '--username', user, database],
    ]);
    return readResult(stdout, await readLatencies(dir));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * SQL for each fresh value. Identifiers ascend like the gateway's, so that both append to their index; addresses and
 * keys are scattered like the gateway's. All have the same length as the gateway's.
 */
const FRESH_SQL: Readonly<Record<keyof Fresh, string>> = {
  paymentId: `'ord_' || lpad(:row::text, 32, '0')`,
  eventId: `'evt_' || lpad(:row::text, 32, '0')`,
  onceKey: `md5(:row::text)::uuid::text`,
  requestId: `md5(:row::text)::uuid::text`,
  address: `'0x' || md5(:row::text) || '01234567'`,
  addressKey: `'0x' || md5(:row::text) || '01234567'`,
  row: `:row`,
  now: `now()`,
  expiresAt: `now() + interval '30 min'`,
};

/** Builds the script of a created payment. */
function writeScript(sample: SampleRows): Pick<PgbenchScript, 'statements' | 'variables'> {
  return insertsOf(
    TABLES.map((table) => {
      const row = Object.fromEntries(COLUMNS[table].map((column) => [column, sample[table][column] ?? null]));
      const fresh = Object.entries(FRESH[table]).map(([column, own]) => [column, FRESH_SQL[own]]);
      return { name: table, table, row, fresh: Object.fromEntries(fresh) as Record<string, string> };
    }),
  );
}

/** A row to insert: its values, but for columns with an SQL expression that is new each time. */
export interface RowInsert {
  /** Its own in a script. */
  readonly name: string;
  readonly table: string;
  readonly row: SampleRow;
  readonly fresh: Readonly<Record<string, string>>;
}

/** The statements. Constant values are passed as parameters, like the gateway's; nulls are written out. */
export function insertsOf(inserts: readonly RowInsert[]): Pick<PgbenchScript, 'statements' | 'variables'> {
  const variables: Record<string, string> = {};
  const statements = inserts.map(({ name, table, row, fresh }) => {
    const expressions = Object.entries(row).map(([column, value]) => {
      const own = fresh[column];
      if (own !== undefined) return own;
      if (value === null) return 'null';
      variables[`${name}_${column}`] = value;
      return `:${name}_${column}`;
    });
    return insertText(table, Object.keys(row), expressions);
  });
  return { statements, variables };
}

/** Latencies in milliseconds, from the third column of pgbench's logs, which is in microseconds. */
async function readLatencies(dir: string): Promise<number[]> {
  const logs = (await readdir(dir)).filter((name) => name.startsWith('log'));
  const texts = await Promise.all(logs.map((name) => readFile(join(dir, name), 'utf8')));
  return texts.flatMap((text) =>
    text
      .trim()
      .split('\n')
      .map((line) => Number(line.split(' ')[2]) / 1_000),
  );
}

function readResult(stdout: string, latenciesMs: number[]): Sample {
  const tps = /tps = ([\d.]+) \(without initial connection time\)/.exec(stdout)?.[1];
  const count = Number(/transactions actually processed: (\d+)/.exec(stdout)?.[1]);
  const failures = Number(/number of failed transactions: (\d+)/.exec(stdout)?.[1] ?? 0);
  if (tps === undefined || !(count > 0)) throw new Error(`The output of pgbench was not understood: ${stdout}`);
  return {
    count,
    seconds: count / Number(tps),
    failures,
    firstFailure: failures > 0 ? stdout : null,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    ownCpu: null,
  };
}
