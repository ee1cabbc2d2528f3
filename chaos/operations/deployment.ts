// A deployment as companies run it, on one machine: two processes of the API, an observer, a dispatcher and a signer, a
// node that they share, a database and a receiver of webhooks. Each part can be broken by itself.

import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { freePort } from '../../scripts/free-port.ts';
import { startAnvil } from '../../src/sandbox/evm/anvil.ts';
import { chainUrlFile } from '../../src/sandbox/paths.ts';
import { startMeddlingProxy } from '../../test/support/proxies/meddling-proxy.ts';
import {
  commonEnvironment,
  createServers,
  openParts,
  type JudgedSystem,
  type Stops,
} from '../processes/environment.ts';
import { figureOf } from '../overload/monitor.ts';
import { createProgram, type Environment, type Program } from '../processes/program.ts';
import { startReceiver } from '../receiver/receiver.ts';
import { PROCESSES, type Ground, type Prepared, type ProcessName } from './setting.ts';

export interface Deployment extends JudgedSystem {
  readonly ground: Ground;
  /** The URLs of both processes of the API, without a path. */
  readonly urls: readonly [string, string];
  /** The origin of the receiver of webhooks, as merchants name it. */
  readonly receiverOrigin: string;
  readonly programs: Readonly<Record<ProcessName, Program>>;
  /** The folder of the signer's journal. */
  readonly journalDir: string;
  /** The variables of a process at its next start. */
  environmentOf(name: ProcessName): Environment;
  /** Adds a process to those that end with the deployment. */
  addProgram(name: string, environment: () => Environment): Program;
  /** The processes that say at /readyz that they are not ready, or say nothing; with what they say. */
  unready(): Promise<string[]>;
  /** The value of one sample of a process's metrics; 0 if it is missing. */
  readMetric(name: ProcessName, sample: string): Promise<number>;
  /** Ends every process and removes every file. May be called at any time, and again. */
  close(): Promise<void>;
}

export interface DeploymentOptions {
  readonly seed: number;
  readonly retryDelaysSeconds: readonly number[];
  readonly prepare: (ground: Ground) => Promise<Prepared<unknown>>;
}

const ROLE_OF: Readonly<Record<ProcessName, string>> = {
  'api 1': 'api',
  'api 2': 'api',
  observer: 'observer',
  dispatcher: 'dispatcher',
  signer: 'signer',
};
const READY_WITHIN_MS = 5_000;

/** Starts everything. `onClose` gets the clean-up at once, for a signal that comes before the start is done. */
export const openDeployment = (
  options: DeploymentOptions,
  onClose: (close: () => Promise<void>) => void,
): Promise<Deployment> => openParts((stops, close) => startAll(options, stops, close), onClose);

async function startAll(options: DeploymentOptions, stops: Stops, close: () => Promise<void>): Promise<Deployment> {
  const ground = await layGround(stops);
  const { folder, databaseDir, anvil, node } = ground;
  const { variablesOf = () => ({}), commandOf, receiverHost, arrange } = await options.prepare(ground);
  const servers = createServers();
  stops.push(() => servers.stop());
  const database = await servers.start(databaseDir);
  await arrange?.(database, servers.start);
  const receiver = await startReceiver(join(folder, 'book.jsonl'), options.seed);
  stops.push(() => receiver.stop());

  const journalDir = join(folder, 'journal');
  const common = commonEnvironment(options);
  const ports = new Map<ProcessName, number>();
  for (const name of PROCESSES) ports.set(name, await freePort());
  const urlOf = (name: ProcessName) => `http://127.0.0.1:${ports.get(name) ?? 0}`;
  const environmentOf = (name: ProcessName): Environment => ({
    ...common,
    ...{ ROLES: ROLE_OF[name], DATABASE_URL: database.url, ETH_RPC_URL: node.url, SANDBOX_NETWORKS: '' },
    ...{ DATA_DIR: join(folder, name.replace(' ', '-')), BASE_URL: urlOf('api 1') },
    ...(ROLE_OF[name] === 'signer' && { JOURNAL_DIR: journalDir }),
    [ROLE_OF[name] === 'api' ? 'PORT' : 'METRICS_PORT']: String(ports.get(name)),
    ...variablesOf(name),
  });
  await mkdir(journalDir, { mode: 0o700 });
  const add = (name: string, environment: () => Environment, command?: readonly string[]) => {
    const program = createProgram(name, environment, command);
    stops.push(() => program.stop());
    return program;
  };
  const all = PROCESSES.map((name) => [name, add(name, () => environmentOf(name), commandOf?.(name))] as const);
  const programs = Object.fromEntries(all) as Record<ProcessName, Program>;
  // It migrates the database, and stores the key that the addresses are derived from.
  await programs.signer.start();
  await Promise.all(all.filter(([name]) => name !== 'signer').map(([, program]) => program.start()));
  const dataDir = join(folder, 'tools');
  await mkdir(dataDir);
  await writeFile(chainUrlFile(dataDir, 'ETH'), anvil.url);
  return {
    ...{ ground, database, receiver, dataDir, journalDir, programs, environmentOf, addProgram: add, close },
    urls: [urlOf('api 1'), urlOf('api 2')],
    receiverOrigin: receiverHost === undefined ? receiver.origin : receiver.origin.replace('127.0.0.1', receiverHost),
    readMetric: async (name, sample) => figureOf(await (await fetch(`${urlOf(name)}/metrics`)).text(), sample),
    chainUrl: () => Promise.resolve(anvil.url),
    unready: async () => {
      const said = await Promise.all(PROCESSES.map(async (name) => ({ name, words: await askReady(urlOf(name)) })));
      return said.filter(({ words }) => words !== null).map(({ name, words }) => `${name}: ${words}`);
    },
  };
}

async function layGround(stops: Stops): Promise<Ground> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnpike-day-')));
  stops.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(folder, 0o755); // PostgreSQL runs as another user if we are root.
  const anvil = await startAnvil({ log: pino({ level: 'silent' }) });
  stops.push(() => anvil.stop());
  const node = await startMeddlingProxy(anvil.url);
  stops.push(() => node.stop());
  return { folder, databaseDir: join(folder, 'database'), anvil, node, onClose: (stop) => void stops.push(stop) };
}

/** Null if the process is ready. */
async function askReady(url: string): Promise<string | null> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(READY_WITHIN_MS) });
    return response.status === 200 ? null : `${response.status} ${await response.text()}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
