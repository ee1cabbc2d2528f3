// Runs the PostgreSQL server on a cluster: attaches to a running one, or cleans up after a dead one and starts a new
// one.

import { spawn } from 'node:child_process';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { claimFolder, spawnOptions } from './os-account.ts';
import type { Binaries } from './binaries.ts';
import type { Home } from './home.ts';
import { clusterName, endLeftovers, findPostmaster, isPostmaster, watchPostmaster } from './processes.ts';

export const PORT = 5432; // Only a part of the socket's name: PostgreSQL listens on no network address.
export const USER = 'turnpike';

export interface ServerOptions {
  readonly home: Home;
  readonly binaries: Binaries;
  readonly socketFolder: string;
  readonly durable: boolean;
  readonly say: (text: string) => void;
  /** Aborts the start if a stop comes first. */
  readonly signal: AbortSignal;
}

export interface Server {
  readonly pid: number;
  /** Resolves when the postmaster is gone, for whatever reason. */
  readonly ended: Promise<void>;
}

/** How long to wait for a running server: crash recovery of a big log takes a while. */
const RECOVERY_MS = 300_000;
/** How long a predecessor's remains may hold the shared memory before the start counts as failed. */
const LEFTOVERS_MS = 10_000;
const ATTACH_MS = 10_000;

/**
 * Returns a server that answers: the one that a killed predecessor left running on this cluster, if its durability is
 * the one asked for, or a new one. Throws with the end of PostgreSQL's log if it will not start.
 */
export async function openServer(options: ServerOptions): Promise<Server> {
  const left = await findPostmaster(options.home.cluster);
  if (left !== undefined) {
    const server = watchPostmaster(left.pid, options.home.cluster);
    if (left.socketFolder === options.socketFolder && (await answersWithin(ATTACH_MS, server, options))) {
      options.say(`Taking over the database server (process ${left.pid}) that an earlier run left`);
      return server;
    }
    options.say(
      `Stopping the database server (process ${left.pid}) that an earlier run left: it does not fit or answer`,
    );
    await stopServer(server);
  }
  const deadline = performance.now() + LEFTOVERS_MS;
  for (;;) {
    await clearRemains(options);
    const outcome = await launch(options);
    if (typeof outcome !== 'string') return outcome;
    const held = /still in use|already exists|already in use|Is another postmaster/.test(outcome);
    if (options.signal.aborted || !held || performance.now() > deadline)
      throw new Error(`The database server did not start: ${outcome}`);
    await rest(200);
  }
}

/**
 * Ends a server within five seconds: by fast shutdown, then immediate shutdown (it recovers at the next start), then
 * SIGKILL.
 */
export async function stopServer(server: Server): Promise<void> {
  if (await endedWithin(0, server)) return; // its pid may belong to another process by now
  for (const [signal, patienceMs] of [
    ['SIGINT', 3_800],
    ['SIGQUIT', 600],
    ['SIGKILL', 300],
  ] as const) {
    try {
      process.kill(server.pid, signal);
    } catch {
      return;
    }
    if (await endedWithin(patienceMs, server)) return;
  }
}

async function endedWithin(timeoutMs: number, server: Server): Promise<boolean> {
  const cancel = new AbortController();
  const late = rest(timeoutMs, false, { signal: cancel.signal }).catch(() => false);
  const ended = await Promise.race([server.ended.then(() => true), late]);
  cancel.abort();
  return ended;
}

/** Cleans up after a `kill -9`: ends the remaining backends, then removes the files that name the dead server. */
async function clearRemains({ home, socketFolder }: ServerOptions): Promise<void> {
  await endLeftovers(home.cluster, LEFTOVERS_MS);
  await rm(join(home.cluster, 'postmaster.pid'), { force: true });
  await mkdir(dirname(socketFolder), { recursive: true });
  if (!(await claimFolder(socketFolder, home.account, 0o700))) throw new Error(`Someone else occupies ${socketFolder}`);
  for (const name of [`.s.PGSQL.${PORT}`, `.s.PGSQL.${PORT}.lock`]) await rm(join(socketFolder, name), { force: true });
}

/** Starts a postmaster and waits until it answers; returns a string that says why if it does not. */
async function launch(options: ServerOptions): Promise<Server | string> {
  const { home, binaries } = options;
  const logPath = join(home.folder, 'postgres.log');
  const log = await openLog(logPath);
  const begin = (await log.stat()).size;
  // A session of its own: Ctrl-C in the terminal must reach us, but not the database that we still need to drain.
  const child = spawn(join(binaries, 'bin', 'postgres'), settings(options), {
    ...spawnOptions(home.account),
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  });
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  await log.close();
  child.unref();
  if (child.pid === undefined) return `${binaries}/bin/postgres cannot be run`;
  const server = { pid: child.pid, ended };
  if (await answersWithin(RECOVERY_MS, server, options)) return server;
  await stopServer(server);
  return (
    (await readFile(logPath, 'utf8')).slice(begin).trim().split('\n').slice(-5).join(' | ') || 'it does not answer'
  );
}

async function openLog(path: string): Promise<Awaited<ReturnType<typeof open>>> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size > 1_000_000) await rename(path, `${path}.old`);
  return open(path, 'a', 0o600);
}

function settings({ home, socketFolder, durable }: ServerOptions): string[] {
  const onOff = durable ? 'on' : 'off';
  const values: Record<string, string> = {
    listen_addresses: '',
    port: String(PORT),
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    cluster_name: clusterName(home.cluster),
    max_connections: durable ? '100' : '400', // tests run many gateways on one server
    timezone: 'UTC',
    log_timezone: 'UTC',
    fsync: onOff,
    synchronous_commit: onOff,
    full_page_writes: onOff,
    jit: 'off', // it costs short statements more than it saves
    // Statement errors reach the callers who sent them; the log keeps what concerns the server itself.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_checkpoints: 'off',
    log_autovacuum_min_duration: '-1',
    // Less WAL for bulk loads and CREATE DATABASE. It rules out base backups, which a throw-away cluster does not need.
    ...(durable ? {} : { wal_level: 'minimal', max_wal_senders: '0' }),
  };
  return ['-D', home.cluster, ...Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

/** Polls until the wanted server answers (true), or until another one answers, it ends, or the time is over (false). */
async function answersWithin(timeoutMs: number, server: Server, options: ServerOptions): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  const over = { ended: false };
  void server.ended.then(() => (over.ended = true));
  while (performance.now() < deadline && !over.ended && !options.signal.aborted) {
    const answer = await ask(options);
    if (answer !== undefined) return isPostmaster(server.pid, options.home.cluster) && answer;
    await rest(15);
  }
  return false;
}

/** Whether the answering server has our data folder and durability; undefined if none answers (yet). */
async function ask({ home, socketFolder, durable }: ServerOptions): Promise<boolean | undefined> {
  const client = new pg.Client({
    host: socketFolder,
    port: PORT,
    user: USER,
    database: 'postgres',
    connectionTimeoutMillis: 3_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const text = `SELECT current_setting('data_directory') AS folder, current_setting('fsync') AS fsync`;
    const { rows } = await client.query<{ folder: string; fsync: string }>(text);
    return rows[0]?.folder === home.cluster && rows[0].fsync === (durable ? 'on' : 'off');
  } catch {
    return undefined;
  } finally {
    await client.end().catch(() => undefined);
  }
}
