// What every candidate runs on: one durable PostgreSQL in a temporary folder, and one gateway in a process of its own,
// started as `npm start` starts it, with raised limits.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { arch, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { freePort } from '../../scripts/free-port.ts';
import { readConfig } from '../../src/config/config.ts';
import { startPostgres, type EmbeddedPostgres } from '../../src/sandbox/postgres/supervisor.ts';
import { findPgbench } from './pgbench.ts';

/** A durable PostgreSQL in a temporary folder. */
export interface Server {
  readonly postgres: EmbeddedPostgres;
  /** A temporary folder. */
  readonly dir: string;
  /** Cleanup to run before the server stops, in reverse order. */
  readonly stops: Stops;
  close(): Promise<void>;
}

export interface BenchEnvironment {
  readonly postgres: EmbeddedPostgres;
  readonly port: number;
  /** A temporary folder. */
  readonly dir: string;
  /** Reads the gateway's database. */
  readonly client: pg.Client;
  /** The token of a merchant created for the bench. */
  readonly token: string;
  /** CPU time that the gateway has used so far, in milliseconds; null if the system does not report it. */
  gatewayCpuMs(): Promise<number | null>;
  describe(): Promise<Record<string, string | number>>;
  close(): Promise<void>;
}

interface GroundOptions {
  readonly dir?: string | undefined;
  readonly profile?: string | undefined;
}

const READY_WITHIN_MS = 120_000;
const TMPFS = 0x01021994;
type Stops = (() => Promise<unknown>)[];

/** Starts PostgreSQL and a gateway; both are stopped again on a failure or a signal. */
export async function openBenchEnvironment({ dir: parent, profile }: GroundOptions): Promise<BenchEnvironment> {
  const { postgres, dir, stops, close } = await openServer(parent);
  try {
    const { port, pid } = await startGateway({ dir, databaseUrl: postgres.url, profile, stops });
    const client = new pg.Client(postgres.url);
    await client.connect();
    stops.push(() => client.end());
    const { token } = await createMerchant(port);
    const gatewayCpuMs = () => readCpuMs(pid);
    return { postgres, port, dir, client, token, gatewayCpuMs, describe: () => describe(client), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Starts PostgreSQL alone; on a failure or a signal it is stopped and its folder removed. `sharedBuffers` is the
 * server's setting, such as `2GB`; without it, PostgreSQL's default applies.
 */
export async function openServer(parent = tmpdir(), sharedBuffers?: string): Promise<Server> {
  const stops: Stops = [];
  const stopAll = async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop();
  };
  let closing: Promise<void> | null = null;
  // A signal and the end of the run that it interrupts share one close.
  const close = () => (closing ??= stopAll());
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void close().finally(() => process.exit(130)));
  try {
    const dir = await mkdtemp(join(parent, 'turnpike-bench-'));
    stops.push(() => rm(dir, { recursive: true, force: true }));
    await chmod(dir, 0o755); // PostgreSQL runs as another user if we are root.
    if ((await statfs(dir)).type === TMPFS)
      process.stderr.write(`${dir} is in memory, where fsync costs nothing: use --dir for figures that count.\n`);
    const options = { dataDir: join(dir, 'database'), log: pino({ level: 'silent' }), durable: true };
    if (sharedBuffers !== undefined) await setSharedBuffers(await startPostgres(options), sharedBuffers);
    const postgres = await startPostgres(options);
    stops.push(() => postgres.stop());
    return { postgres, dir, stops, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Stores the setting and stops the server, which applies it at its next start. */
async function setSharedBuffers(postgres: EmbeddedPostgres, size: string): Promise<void> {
  try {
    const client = new pg.Client(postgres.url);
    await client.connect();
    await client.query(`alter system set shared_buffers = ${client.escapeLiteral(size)}`).finally(() => client.end());
  } finally {
    await postgres.stop();
  }
}

interface GatewayParts {
  readonly dir: string;
  readonly databaseUrl: string;
  readonly profile: string | undefined;
  readonly stops: Stops;
  /** Additional environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Starts a gateway in a process of its own and waits until it is ready. */
export async function startGateway({
  dir,
  databaseUrl,
  profile,
  stops,
  variables = {},
}: GatewayParts): Promise<{ port: number; pid: number }> {
  const port = await freePort();
  const settings = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(dir, 'gateway'),
    HOST: '127.0.0.1',
    PORT: String(port),
    RATE_LIMIT_PER_SECOND: '1000000',
    RATE_LIMIT_BURST: '10000000',
    LOG_LEVEL: 'warn',
    ...variables,
  };
  readConfig(settings); // Reports configuration faults in readable form.
  const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  const flags = profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profile];
  const { PATH, HOME, ANVIL_PATH } = process.env;
  const env = { PATH, HOME, ANVIL_PATH, NODE_ENV: 'production', ...settings };
  const child = spawn(process.execPath, [...flags, '--enable-source-maps', main], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  stops.push(() => stopGateway(child));
  await untilReady(child, port);
  return { port, pid: child.pid ?? 0 };
}

async function untilReady(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (performance.now() < deadline && child.exitCode === null) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (ready?.status === 200) return;
    await rest(50);
  }
  throw new Error('The gateway did not become ready');
}

async function stopGateway(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** User and system time in milliseconds, from Linux's /proc, which has hundredths of a second. */
export async function readCpuMs(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields ? (Number(fields[11]) + Number(fields[12])) * 10 : null;
}

/** Creates a merchant over REST and exchanges its key for a token. */
export async function createMerchant(
  port: number,
  email = 'bench@example.com',
): Promise<{ id: string; token: string }> {
  const post = async <Data>(path: string, body: object): Promise<Data> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as { success: boolean; data: Data };
    if (!answer.success) throw new Error(`${path} answered ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const { merchant, apiKey } = await post<{ merchant: { id: string }; apiKey: { keyId: string; key: string } }>(
    '/merchant',
    { email, companyName: 'Bench' },
  );
  const { accessToken } = await post<{ accessToken: string }>('/auth/token', {
    keyId: apiKey.keyId,
    secret: apiKey.key,
  });
  return { id: merchant.id, token: accessToken };
}

/** Describes what the bench ran on. Throws if the database is not durable. */
export async function describe(client: pg.Client): Promise<Record<string, string | number>> {
  const { rows } = await client.query<{ version: string; fsync: string; commit: string }>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as commit`,
  );
  const [server] = rows;
  if (server?.fsync !== 'on' || server.commit !== 'on')
    throw new Error('The database is not durable: nothing measured here counts');
  const cores = cpus();
  return {
    cores: cores.length,
    processor: cores[0]?.model ?? '?',
    architecture: arch(),
    node: process.version,
    postgres: server.version,
    fsync: server.fsync,
    synchronousCommit: server.commit,
    pgbench: findPgbench() ?? 'none',
  };
}
