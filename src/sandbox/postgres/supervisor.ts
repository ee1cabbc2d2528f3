// The embedded PostgreSQL: starts a real server from the npm package's binaries, and restarts it if it dies.

import { rmdir } from 'node:fs/promises';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { createDataDir } from './os-account.ts';
import { prepareBinaries } from './binaries.ts';
import { chooseSocketFolder, createCluster, findHome, removeUnfinished } from './home.ts';
import { findPostmaster } from './processes.ts';
import type { Server, ServerOptions } from './server.ts';
import { openServer, PORT, stopServer, USER } from './server.ts';

const DATABASE = 'turnpike';
const DUPLICATE_DATABASE = '42P04';
const UNIQUE_VIOLATION = '23505';

export interface PostgresOptions {
  /**
   * Created if missing; a later start on the same folder finds the same data. One program at a time (instance-lock.ts).
   */
  readonly dataDir: string;
  readonly log: Logger;
  /** False gives up safety against power loss for speed; for tests only. */
  readonly durable?: boolean;
  /** Receives the progress of the start, in words for the operator; it is logged as well. */
  readonly onProgress?: (text: string) => void;
}

export interface EmbeddedPostgres {
  /** The socket's folder, which node-postgres takes as a host. The same for the whole run, restarts included. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** `postgresql://turnpike@%2Ffolder:5432/turnpike`, which node-postgres, MikroORM and `new URL` all understand. */
  readonly url: string;
  /** The postmaster's current process id. */
  pid(): number;
  /**
   * Calls back each time the server has died unexpectedly, before it is restarted; returns a function to unsubscribe.
   */
  onDied(listener: () => void): () => void;
  /** Ends the server within five seconds, also one that was taken over. Close the pools first. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on the cluster of a data folder, creating both at the first start, and restarts it if it dies by
 * itself. The server outlives a `kill -9` of this program on purpose: the next start takes it over. Errors name
 * DATABASE_URL if the machine cannot run the embedded server.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const { log, durable = true, onProgress } = options;
  const say = (text: string): void => {
    log.info(text);
    onProgress?.(text);
  };
  const dataDir = await createDataDir(options.dataDir);
  const home = await findHome(dataDir, say);
  const binaries = await prepareBinaries(home.account, home.folder, say);
  await removeUnfinished(home);
  if (!home.exists) {
    say(`Creating the database cluster in ${home.cluster}`);
    await createCluster(home, dataDir, binaries, durable);
  }
  const socketFolder = (await findPostmaster(home.cluster))?.socketFolder ?? (await chooseSocketFolder(home));
  const stopping = new AbortController();
  const serverOptions = { home, binaries, socketFolder, durable, say, signal: stopping.signal };
  const supervisor = supervise(await openServer(serverOptions), serverOptions, log, stopping);
  const url = `postgresql://${USER}@${encodeURIComponent(socketFolder)}:${PORT}/${DATABASE}`;
  try {
    await createDatabase(socketFolder);
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
  return { host: socketFolder, port: PORT, user: USER, database: DATABASE, url, ...supervisor };
}

type Supervisor = Pick<EmbeddedPostgres, 'pid' | 'onDied' | 'stop'>;

function supervise(first: Server, options: ServerOptions, log: Logger, stopping: AbortController): Supervisor {
  const listeners = new Set<() => void>();
  let server = first;

  async function keepRunning(): Promise<void> {
    for (;;) {
      await server.ended;
      if (stopping.signal.aborted) return;
      log.warn({ pid: server.pid }, 'The database server died; it is restarted');
      for (const listener of listeners) listener();
      const next = await reopen(options, log);
      if (next === undefined) return;
      server = next;
      // A stop that was called just now has only seen the old server.
      if (stopping.signal.aborted) return stopServer(server);
      log.info({ pid: server.pid }, 'The database server is back');
    }
  }

  const done = keepRunning();
  return {
    pid: () => server.pid,
    onDied: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: async () => {
      stopping.abort();
      await stopServer(server);
      await done;
      await rmdir(options.socketFolder).catch(() => undefined); // Not empty if someone else uses it: then it stays.
    },
  };
}

/** Tries until it succeeds or stop is called (undefined), with doubling delays of at most five seconds. */
async function reopen(options: ServerOptions, log: Logger): Promise<Server | undefined> {
  for (let restMs = 100; !options.signal.aborted; restMs = Math.min(2 * restMs, 5_000)) {
    try {
      const server = await openServer(options);
      if (!options.signal.aborted) return server;
      await stopServer(server);
    } catch (error) {
      if (options.signal.aborted) return undefined;
      log.error({ err: error }, 'The database server could not be restarted; trying again');
      await rest(restMs, undefined, { signal: options.signal }).catch(() => undefined);
    }
  }
  return undefined;
}

async function createDatabase(host: string): Promise<void> {
  const client = new pg.Client({ host, port: PORT, user: USER, database: 'postgres' });
  client.on('error', () => undefined); // the running query rejects as well
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(DATABASE)}`);
  } catch (error) {
    // The server of a predecessor that was killed at this point may only now finish its statement.
    const { code } = error as { code?: string };
    if (code !== DUPLICATE_DATABASE && code !== UNIQUE_VIOLATION) throw error;
  } finally {
    await client.end();
  }
}
