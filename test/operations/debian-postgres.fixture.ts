// A PostgreSQL of Debian's, as companies run it: on TCP, durable, with the configuration that a test gives it.

import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isRoot } from '../../src/sandbox/postgres/os-account.ts';
import { runSql } from '../support/database/database.ts';
import { findFreePort } from '../support/gateway/gateway.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

/** Where Debian 12 has the programs of its PostgreSQL. */
export const PROGRAMS = '/usr/lib/postgresql/15/bin';

export interface DebianPostgres {
  readonly port: number;
  /** The cluster's own folder, and the one above it, where other files of the server may lie. */
  readonly dataDir: string;
  readonly folder: string;
  /** Of a database, by TCP, as the superuser. */
  url(database?: string): string;
  sql<Row = Record<string, unknown>>(text: string): Promise<Row[]>;
  start(): Promise<void>;
  /** Ends it in an orderly way. */
  stop(): Promise<void>;
  /** Ends all of its processes with SIGKILL. */
  kill(): Promise<void>;
  reload(): Promise<void>;
  /** Runs a command to its end as the server's account; returns what it printed. Throws if it fails. */
  run(command: string, args: readonly string[]): Promise<string>;
  /** Writes a file that the server can read, with mode 600. */
  write(name: string, text: string): Promise<string>;
  /** Ends it and removes all of its files. */
  remove(): Promise<void>;
}

/** The account that the server runs as: its own for root, which it refuses, and ours otherwise. */
async function findAccount(): Promise<{ uid: number; gid: number } | null> {
  if (!isRoot()) return null;
  const number = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
  return { uid: await number('-u'), gid: await number('-g') };
}

interface Configuration {
  readonly settings?: readonly string[];
  /** Lines of pg_hba.conf that come before all others. */
  readonly access?: readonly string[];
  /** Of the server's folder, by name, written before it starts. */
  readonly files?: Readonly<Record<string, string>>;
  /** Makes a standby that streams from this server, instead of a new cluster. */
  readonly standbyOf?: DebianPostgres;
}

/** Makes a cluster and starts it. */
export async function startDebianPostgres(configuration: Configuration = {}): Promise<DebianPostgres> {
  const { settings = [], access = [], files = {}, standbyOf } = configuration;
  const account = await findAccount();
  const folder = await mkdtemp(join(tmpdir(), 'turnpike-debian-'));
  const [port, dataDir] = [await findFreePort(), join(folder, 'data')];
  const options = { ...account, cwd: folder, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' } };
  const program = (name: string, args: readonly string[]) => run(join(PROGRAMS, name), [...args], options);
  let child: ChildProcess | null = null;
  const url = (database = 'postgres') => `postgresql://postgres@localhost:${port}/${database}`;

  async function write(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, text);
    await chmod(path, 0o600);
    if (account) await chown(path, account.uid, account.gid);
    return path;
  }

  async function start(): Promise<void> {
    let said = '';
    const started = spawn(join(PROGRAMS, 'postgres'), ['-D', dataDir], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = started;
    started.stderr.on('data', (chunk: Buffer) => (said = `${said}${String(chunk)}`.slice(-20_000)));
    await until(async () => {
      if (started.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said}`);
      return isReady();
    });
  }
  const isReady = () =>
    program('pg_isready', ['-h', 'localhost', '-p', String(port)]).then(
      () => true,
      () => false,
    );

  const isRunning = () => child !== null && child.exitCode === null && child.signalCode === null;
  async function end(how: () => Promise<void> | void): Promise<void> {
    if (!child || !isRunning()) return;
    const exited = once(child, 'exit');
    await how();
    await exited;
  }
  const stop = () => end(() => void child?.kill('SIGINT'));

  /** Like a loss of power: nothing that runs gets to its next instruction. */
  async function kill(): Promise<void> {
    await end(async () => {
      const parent = String(child?.pid);
      const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', parent]);
      for (const pid of [parent, ...stdout.split('\n').map((line) => line.trim())])
        if (pid !== '') await run('kill', ['-9', pid]).catch(() => undefined);
    });
  }

  await chmod(folder, 0o755);
  if (account) await chown(folder, account.uid, account.gid);
  for (const [name, text] of Object.entries(files)) await write(name, text);
  if (standbyOf)
    await program('pg_basebackup', ['-d', standbyOf.url(), '-D', dataDir, '-R', '-X', 'stream', '-c', 'fast']);
  else await program('initdb', ['-D', dataDir, '-U', 'postgres', '--auth=trust', '--locale=C.UTF-8']);
  const [conf, hba] = [join(dataDir, 'postgresql.conf'), join(dataDir, 'pg_hba.conf')];
  const place = [`port = ${port}`, `listen_addresses = 'localhost'`, `unix_socket_directories = '${folder}'`];
  await appendFile(conf, `\n${[...place, 'shared_buffers = 32MB', ...settings].join('\n')}\n`);
  await writeFile(hba, `${[...access, await readFile(hba, 'utf8')].join('\n')}\n`);
  await start();
  const sql = <Row = Record<string, unknown>>(text: string) => runSql<Row>(url(), text);
  return {
    ...{ port, dataDir, folder, url, sql, start, stop, kill, write },
    run: async (command, args) => {
      const { stdout } = await run(command, [...args], options);
      return stdout;
    },
    reload: async () => void (await sql('select pg_reload_conf()')),
    remove: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
