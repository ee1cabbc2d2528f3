// The embedded PostgreSQL keeps what was committed, however it ends, and restarts by itself.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, cp, lstat, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import type { EmbeddedPostgres, PostgresOptions } from '../../../src/sandbox/postgres/supervisor.ts';
import { startPostgres } from '../../../src/sandbox/postgres/supervisor.ts';
import { chooseAccount, runAs } from '../../../src/sandbox/postgres/os-account.ts';
import { locatePackage, prepareBinaries } from '../../../src/sandbox/postgres/binaries.ts';

const log = pino({ level: 'silent' });
const asRoot = process.geteuid?.() === 0;
let base: string;
/** The cluster that most tests use one after the other, like one installation. */
let dataDir: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'turnpike-embedded-'));
  await chmod(base, 0o711);
  dataDir = join(base, 'data');
});

afterEach(async () => {
  for (const postgres of started.splice(0)) await postgres.stop();
});

afterAll(() => rm(base, { recursive: true, force: true }));

/** Stops what a failed test leaves running: its supervisor would interfere with the next test. */
const started: EmbeddedPostgres[] = [];

async function start(options: Partial<PostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const postgres = await startPostgres({ dataDir, log, durable: false, ...options });
  started.push(postgres);
  return postgres;
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const notes = async (url: string): Promise<string[]> =>
  (await query<{ text: string }>(url, 'SELECT text FROM note ORDER BY text')).map(({ text }) => text);

async function eventually<T>(attempt: () => Promise<T>, timeoutMs = 30_000): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await rest(20);
    }
  }
}

/** Runs the server from a program of its own, which is killed once the server is up; returns the server's pid. */
async function startAndKillOwner(): Promise<number> {
  const module = new URL('../../../src/sandbox/postgres/supervisor.js', import.meta.url).href;
  const script = `
    import { startPostgres } from ${JSON.stringify(module)};
    const log = { info() {}, warn() {}, error() {} };
    const postgres = await startPostgres({ dataDir: process.argv[1], log, durable: false });
    console.log(postgres.pid());
    setInterval(() => {}, 1000);`;
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(owner, 'exit');
  const [chunk] = (await once(owner.stdout, 'data')) as [Buffer];
  owner.kill('SIGKILL');
  await exited;
  return Number(chunk.toString());
}

describe('the embedded PostgreSQL', () => {
  it('creates its cluster and database at the first start: UTF-8, code-point order, UTC, no network', async () => {
    const progress: string[] = [];
    const postgres = await start({ onProgress: (text) => progress.push(text) });
    expect(progress).toEqual([expect.stringContaining('Creating the database cluster')]);
    await query(postgres.url, `CREATE TABLE note (text text); INSERT INTO note VALUES ('b'), ('ä'), ('Z')`);
    expect(await notes(postgres.url)).toEqual(['Z', 'b', 'ä']);
    const [settings] = await query(
      postgres.url,
      `SELECT current_setting('server_encoding') AS encoding, current_setting('TimeZone') AS zone,
              current_setting('listen_addresses') AS network, current_database() AS database, upper('ä') AS upper`,
    );
    expect(settings).toEqual({ encoding: 'UTF8', zone: 'UTC', network: '', database: 'turnpike', upper: 'Ä' });
    expect((await lstat(postgres.host)).mode & 0o777).toBe(0o700);
    await postgres.stop();
    await expect(access(postgres.host)).rejects.toThrow('ENOENT');
  });

  it('finds its rows again at the next start, and is durable unless told otherwise', async () => {
    const postgres = await startPostgres({ dataDir, log });
    started.push(postgres);
    expect(await notes(postgres.url)).toHaveLength(3);
    const [settings] = await query(
      postgres.url,
      `SELECT current_setting('fsync') AS a, current_setting('synchronous_commit') AS b, current_setting('full_page_writes') AS c`,
    );
    expect(settings).toEqual({ a: 'on', b: 'on', c: 'on' });
    await postgres.stop();
  });

  it('comes back under the same address when the server is killed alone, even under a running statement', async () => {
    const postgres = await start();
    let deaths = 0;
    postgres.onDied(() => (deaths += 1));
    const busy = query(postgres.url, 'SELECT count(*) FROM generate_series(1, 1000000000)').catch(() => 'cut');
    const isBusy = `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%series%' AND state = 'active' AND pid <> pg_backend_pid()`;
    await eventually(async () => expect(await query(postgres.url, isBusy)).toHaveLength(1));
    const killed = postgres.pid();
    process.kill(killed, 'SIGKILL');
    expect(await eventually(() => notes(postgres.url))).toHaveLength(3);
    expect(await busy).toBe('cut');
    expect(deaths).toBe(1);
    await eventually(async () => expect(postgres.pid()).not.toBe(killed));
    await postgres.stop();
  });

  it('takes over the server that a killed program left, and stops that one in the end', async () => {
    const left = await startAndKillOwner();
    const postgres = await start();
    expect(postgres.pid()).toBe(left);
    expect(await notes(postgres.url)).toHaveLength(3);
    process.kill(left, 'SIGKILL');
    expect(await eventually(() => notes(postgres.url))).toHaveLength(3);
    await postgres.stop();

    const leftAgain = await startAndKillOwner();
    await (await start()).stop();
    expect(await readFile(`/proc/${leftAgain}/cmdline`, 'utf8').catch(() => '')).toBe('');
  });

  it('does not take over a server that was left without durability', async () => {
    const left = await startAndKillOwner();
    const postgres = await start({ durable: true });
    expect(postgres.pid()).not.toBe(left);
    expect(await query(postgres.url, 'SHOW fsync')).toEqual([{ fsync: 'on' }]);
    await postgres.stop();
  });

  it('keeps committed rows when program and server are killed and another process has got the pid', async () => {
    const left = await startAndKillOwner();
    const pidFile = join(dataDir, 'postgres', 'postmaster.pid');
    const remains = await readFile(pidFile, 'utf8');
    process.kill(left, 'SIGKILL');
    await writeFile(pidFile, remains.replace(/^\d+/, String(process.ppid)));
    const postgres = await start();
    expect(await notes(postgres.url)).toHaveLength(3);
    await postgres.stop();
  });

  it('restarts nothing after stop, also when stop comes while the server is being restarted', async () => {
    const postgres = await start();
    const died = new Promise<void>((resolve) => postgres.onDied(resolve));
    process.kill(postgres.pid(), 'SIGKILL');
    await died;
    await postgres.stop();
    await expect(query(postgres.url, 'SELECT 1')).rejects.toThrow();
  });

  it('runs in a folder whose path has spaces and is longer than a socket address', async () => {
    const long = join(base, "it's a folder with spaces", 'x'.repeat(120));
    const postgres = await start({ dataDir: long });
    expect(await query(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(postgres.host.length).toBeLessThan(90);
    await postgres.stop();
  });

  it('keeps its data between starts in a folder that only its owner may enter', async () => {
    const parent = join(base, 'private');
    await mkdir(parent, { mode: 0o700 });
    const own = join(parent, 'data');
    const first = await start({ dataDir: own });
    await query(first.url, 'CREATE TABLE kept (id int)');
    await first.stop();
    const progress: string[] = [];
    const second = await start({ dataDir: own, onProgress: (text) => progress.push(text) });
    expect(await query(second.url, 'SELECT * FROM kept')).toEqual([]);
    expect(progress).toEqual([]);
    await second.stop();
    const elsewhere = (await readFile(join(own, 'postgres-location'), 'utf8').catch(() => '')).trim();
    expect(elsewhere !== '').toBe(asRoot); // Only root runs PostgreSQL as another user, who cannot enter the folder.
    if (elsewhere !== '') await rm(elsewhere, { recursive: true });
  });

  it('does not begin anew when the place that holds its data is gone', async () => {
    const own = join(base, 'moved');
    await mkdir(own);
    await writeFile(join(own, 'postgres-location'), `${join(base, 'gone')}\n`);
    await expect(start({ dataDir: own })).rejects.toThrow(`was kept in ${join(base, 'gone')} and is gone`);
  });
});

describe('the PostgreSQL programs', () => {
  /** The package as npm leaves it with install scripts off: without links. */
  async function install(name: string): Promise<string> {
    const native = join(base, name, 'native');
    const isNoLink = async (path: string): Promise<boolean> => !(await lstat(path)).isSymbolicLink();
    await cp(locatePackage(), native, { recursive: true, filter: isNoLink });
    await cp(join(dirname(locatePackage()), 'package.json'), join(base, name, 'package.json'));
    return native;
  }

  it('get the links of their libraries when install scripts were off', async () => {
    const account = await chooseAccount();
    const installed = await install('unlinked');
    await chmod(join(base, 'unlinked'), 0o755);
    expect(await prepareBinaries(account, base, () => undefined, installed)).toBe(installed);
    await runAs(account, join(installed, 'bin', 'initdb'), ['--version']);
  });

  it('are copied, once, when they can be neither linked nor entered where they are', async () => {
    const account = await chooseAccount();
    const installed = await install('locked');
    await chmod(join(installed, 'lib'), 0o500);
    await chmod(join(base, 'locked'), 0o700);
    const progress: string[] = [];
    const say = (text: string): void => void progress.push(text);
    const copy = await prepareBinaries(account, base, say, installed);
    expect(copy).not.toBe(installed);
    await runAs(account, join(copy, 'bin', 'postgres'), ['--version']);
    expect(await prepareBinaries(account, base, say, installed)).toBe(copy);
    expect(progress).toEqual([expect.stringContaining('Copying the PostgreSQL programs')]);
    await chmod(join(installed, 'lib'), 0o700);
  });
});
