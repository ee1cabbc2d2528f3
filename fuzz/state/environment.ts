// Starts what a run needs, and removes it: PostgreSQL, a gateway whose API is a process of its own, and a webhook
// receiver. The API's database connections have their own name, so that what a call changed is kept apart from what the
// watcher, the signer and the dispatcher did meanwhile.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createProgram, type Program } from '../../chaos/processes/program.ts';
import { freePort } from '../../scripts/free-port.ts';
import { startPostgres } from '../../src/sandbox/postgres/supervisor.ts';
import { API_NAME, openChanges, type Changes } from './database-changes.ts';

export interface System {
  /** The API's URL, without a path. */
  readonly url: string;
  readonly api: Program;
  /** DATA_DIR of the rest of the gateway. */
  readonly dataDir: string;
  readonly database: { readonly url: string };
  readonly changes: Changes;
  /** A URL that takes webhooks and answers 200. */
  readonly receiver: string;
  close(): Promise<void>;
}

type Stops = (() => Promise<unknown>)[];

/** Starts everything. `onClose` gets the clean-up at once, for a signal that comes before the start is done. */
export async function openSystem(onClose: (close: () => Promise<void>) => void): Promise<System> {
  const stops: Stops = [];
  const close = async () => {
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop().catch(() => undefined);
  };
  onClose(close);
  try {
    return { ...(await startAll(stops)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function startAll(stops: Stops): Promise<Omit<System, 'close'>> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnpike-fuzz-')));
  stops.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(folder, 0o755); // PostgreSQL runs as another user if we are root.
  const postgres = await startPostgres({ dataDir: join(folder, 'database'), log: pino({ level: 'silent' }) });
  stops.push(() => postgres.stop());
  const receiver = await startReceiver(stops);

  const common = environment(postgres.url);
  const dataDir = join(folder, 'rest');
  const start = async (name: string, own: Readonly<Record<string, string>>) => {
    const program = createProgram(name, () => ({ ...common, ...own }));
    stops.push(() => program.stop());
    await program.start();
    return program;
  };
  await start('rest', { ROLES: 'observer,signer,dispatcher', DATA_DIR: dataDir });
  const chainUrl = (await readFile(join(dataDir, 'chain-url'), 'utf8')).trim();
  const changes = await openChanges(postgres.url);
  stops.push(() => changes.close());

  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const named = new URL(postgres.url);
  named.searchParams.set('application_name', API_NAME);
  const api = await start('api', {
    ...{ ROLES: 'api', PORT: port, BASE_URL: url, ETH_RPC_URL: chainUrl },
    ...{ DATA_DIR: join(folder, 'api'), DATABASE_URL: named.href },
  });
  return { url, api, dataDir, database: { url: postgres.url }, changes, receiver };
}

/** The gateway sees only those of our own variables that say where programs are. */
function environment(databaseUrl: string): Record<string, string> {
  const { PATH = '', HOME = '', ANVIL_PATH = '' } = process.env;
  return {
    ...{ PATH, HOME, ANVIL_PATH },
    DATABASE_URL: databaseUrl,
    HOST: '127.0.0.1',
    TURNPIKE_SECRET: randomBytes(24).toString('hex'),
    RATE_LIMIT_PER_SECOND: '0',
    RATE_LIMIT_AUTH_PER_MINUTE: '0',
    RATE_LIMIT_CHECKOUT_PER_MINUTE: '0',
    DATABASE_POOL_MAX: '6',
    LOG_LEVEL: 'error',
  };
}

async function startReceiver(stops: Stops): Promise<string> {
  const server = createHttpServer((request, response) => {
    request.resume();
    request.on('end', () => response.end('{"status":"ok"}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
}
