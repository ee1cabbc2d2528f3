// The harness's own PostgreSQL, durable as in production, and how it is killed: the postmaster and all its children at
// once.

import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startPostgres, type EmbeddedPostgres } from '../../src/sandbox/postgres/supervisor.ts';
import { waitUntil } from './wait.ts';

export interface ChaosDatabase {
  /** May change when the server is restarted after `pause` or `crash`. */
  readonly url: string;
  readonly dataDir: string;
  /** Queries on a new connection, so that none is left over from a server that was killed. */
  rows<Row>(statement: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Kills all processes of the server with -9. */
  kill(): void;
  /** Resolves when the server answers again: its supervisor restarts it, and it recovers. */
  back(): Promise<void>;
  /** Stops the server as an operator would, until `resume`. */
  pause(): Promise<void>;
  /** Kills the server with -9; it stays down until `resume`. */
  crash(): Promise<void>;
  resume(): Promise<void>;
  /** Stops all processes of the server with SIGSTOP; the result lets them go on. */
  freeze(): () => void;
  /** Stops the server for good; may be called at any time. */
  stop(): Promise<void>;
}

const BACK_WITHIN_MS = 60_000;

/** Starts the server in a folder; throws if it would not be durable, because then no finding would count. */
export async function startDatabase(dataDir: string): Promise<ChaosDatabase> {
  const open = () => startPostgres({ dataDir, log: pino({ level: 'silent' }), durable: true });
  let postgres: EmbeddedPostgres = await open();
  let resuming: Promise<unknown> = Promise.resolve();
  let ended = false;

  async function rows<Row>(statement: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: postgres.url, connectionTimeoutMillis: 5_000 });
    client.on('error', () => undefined); // The running query rejects as well.
    await client.connect();
    try {
      return (await client.query(statement, [...values])).rows as Row[];
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  const answers = () =>
    rows('select 1').then(
      () => true,
      () => null,
    );
  const kill = () => {
    const postmaster = postgres.pid();
    // The postmaster first: otherwise it would see a child die, and begin a recovery of its own.
    for (const pid of [postmaster, ...childrenOf(postmaster)]) signal(pid, 'SIGKILL');
  };
  async function halt(): Promise<void> {
    await postgres.stop();
    // A killed server leaves its socket files.
    await rm(postgres.host, { recursive: true, force: true });
  }
  return {
    get url() {
      return postgres.url;
    },
    ...{ dataDir, rows, kill, pause: halt },
    back: async () => void (await waitUntil('PostgreSQL, killed with -9, answers again', BACK_WITHIN_MS, answers)),
    async crash() {
      kill();
      await halt(); // At once, so that nothing restarts it.
    },
    freeze() {
      const postmaster = postgres.pid();
      const all = [postmaster, ...childrenOf(postmaster)];
      for (const pid of all) signal(pid, 'SIGSTOP');
      return () => {
        for (const pid of all.reverse()) signal(pid, 'SIGCONT');
      };
    },
    async resume() {
      if (ended) throw new Error('PostgreSQL is stopped for good');
      const opening = open();
      resuming = opening.catch(() => undefined);
      postgres = await opening;
    },
    async stop() {
      ended = true;
      await resuming;
      await halt();
    },
  };
}

/** The child processes of a process, from Linux's /proc. */
function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === parent)
    .map(Number);
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(join('/proc', pid, 'stat'), 'utf8');
    // The name in parentheses may hold anything; after it come the state and the parent.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
