// Starts everything that a run needs (PostgreSQL, the gateway with its roles apart, the receiver), and removes it to
// the last file.

import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { freePort } from '../../scripts/free-port.ts';
import { endLeftoverProcesses } from '../../src/sandbox/leftover-processes.ts';
import { startDatabase, type ChaosDatabase } from './database.ts';
import { startIdleNode } from './idle-node.ts';
import { createProgram, type Environment, type Program } from './program.ts';
import { startReceiver, type Receiver } from '../receiver/receiver.ts';

export interface System {
  readonly folder: string;
  /** The database that the gateway uses. */
  readonly database: ChaosDatabase;
  /** The variables that `core` is currently started with. */
  readonly environment: Environment;
  /** Gives `core` these roles from its next start on. */
  giveCore(roles: string): void;
  /** Starts a PostgreSQL server on the files in a data folder; it is stopped with everything else. */
  startServer(dataDir: string): Promise<ChaosDatabase>;
  /** Makes the programs use this server from their next start on. */
  pointTo(database: ChaosDatabase): void;
  /** The API, the observer and the signer, with the development chain. */
  readonly core: Program;
  readonly dispatchers: readonly Program[];
  readonly receiver: Receiver;
  /** The gateway's URL, without a path. */
  readonly url: string;
  /** DATA_DIR of `core`. */
  readonly dataDir: string;
  /** The JSON-RPC address of the development chain, which changes when `core` is started again. */
  chainUrl(): Promise<string>;
  /** The number of transactions in the signer's journal. */
  signatures(): Promise<number>;
  /** Ends every process and removes every file. May be called at any time, and again. */
  close(): Promise<void>;
}

/** The parts of a system that its work is judged by. */
export type JudgedSystem = Pick<System, 'database' | 'receiver' | 'chainUrl' | 'dataDir'>;

export interface SystemOptions {
  readonly seed: number;
  /** Seconds before retry 1, 2, … of a webhook. */
  readonly retryDelaysSeconds: readonly number[];
  /** Keeps the folder for inspection. */
  readonly keep: boolean;
  /** Further variables that the gateway is configured with. */
  readonly environment?: Readonly<Record<string, string>>;
}

export const ALL_BUT_DISPATCHER = 'api,observer,signer';

/** Functions that stop what was started; called last first. */
export type Stops = (() => Promise<unknown>)[];

type OnClose = (close: () => Promise<void>) => void;

/** Starts everything. `onClose` gets the clean-up at once, for a signal that comes before the start is done. */
export const openSystem = (options: SystemOptions, onClose: OnClose): Promise<System> =>
  openParts((stops, close) => startAll(options, stops, close), onClose);

/** Starts parts that are stopped together, by the function that `onClose` gets, also if the start fails. */
export async function openParts<Opened>(
  start: (stops: Stops, close: () => Promise<void>) => Promise<Opened>,
  onClose: OnClose,
): Promise<Opened> {
  const stops: Stops = [];
  let closing: Promise<void> | null = null;
  const close = () => {
    // Stopping the parts makes a start under way fail; whatever it began meanwhile is stopped afterwards.
    const closeAll = () => stopAll(stops).finally(() => opening.catch(() => undefined).then(() => stopAll(stops)));
    return (closing ??= closeAll());
  };
  const opening = start(stops, close);
  onClose(close);
  try {
    return await opening;
  } catch (error) {
    await close();
    throw error;
  }
}

async function startAll(options: SystemOptions, stops: Stops, close: () => Promise<void>): Promise<System> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnpike-chaos-')));
  if (!options.keep) stops.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(folder, 0o755); // PostgreSQL runs as another user if we are root.
  const servers = createServers();
  stops.push(() => servers.stop());
  let database = await servers.start(join(folder, 'database'));
  const receiver = await startReceiver(join(folder, 'book.jsonl'), options.seed);
  stops.push(() => receiver.stop());
  const idleNode = await startIdleNode();
  stops.push(() => idleNode.stop());

  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const dataDir = join(folder, 'core');
  const own = commonEnvironment(options);
  const common = () => ({
    ...own,
    SANDBOX_NETWORKS: 'ETH',
    DATABASE_URL: database.url,
    PORT: String(port),
    BASE_URL: url,
  });
  let roles = ALL_BUT_DISPATCHER;
  const environmentOfCore = () => ({ ...common(), ROLES: roles, DATA_DIR: dataDir });
  const core = createProgram('core', environmentOfCore);
  const dispatchers = ['dispatcher 1', 'dispatcher 2'].map((name) => {
    const more = { ROLES: 'dispatcher', ETH_RPC_URL: idleNode.url, DATA_DIR: join(folder, name.replace(' ', '-')) };
    return createProgram(name, () => ({ ...common(), ...more }));
  });
  // When `core` is killed, it leaves its anvil, which only its next start would end.
  stops.push(() => endLeftoverProcesses(join(dataDir, 'chain', 'anvil'), pino({ level: 'silent' })));
  stops.push(() => Promise.all([core, ...dispatchers].map((program) => program.stop())));
  // The first start migrates the database and creates the account that the addresses are derived from.
  await core.start();
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.start()));
  const chainUrl = async () => (await readFile(join(dataDir, 'chain-url'), 'utf8')).trim();
  return {
    ...{ folder, core, dispatchers, receiver, url, dataDir, chainUrl, close },
    signatures: () => countSignatures(dataDir),
    get database() {
      return database;
    },
    get environment() {
      return environmentOfCore();
    },
    giveCore: (next) => void (roles = next),
    startServer: servers.start,
    pointTo: (next) => void (database = next),
  };
}

/** The number of transactions in the signer's journal in a folder. */
export async function countSignatures(dataDir: string): Promise<number> {
  const names = (await readdir(dataDir)).filter((name) => name.startsWith('journal-'));
  const files = await Promise.all(names.map((name) => readFile(join(dataDir, name), 'utf8')));
  return files.reduce((sum, text) => sum + text.split('\n').length - 1, 0);
}

/** PostgreSQL servers that are stopped together, including any whose start is under way. */
export function createServers() {
  const all: Promise<ChaosDatabase>[] = [];
  let stopped = false;
  return {
    async start(dataDir: string): Promise<ChaosDatabase> {
      if (stopped) throw new Error('The run is being cleaned up');
      const starting = startDatabase(dataDir);
      all.push(starting);
      return starting;
    },
    async stop(): Promise<void> {
      stopped = true;
      const opened = (await Promise.allSettled(all)).filter((one) => one.status === 'fulfilled');
      for (const { value } of opened) await value.stop();
    },
  };
}

/** The gateway sees only those of our own variables that say where programs are. */
export function commonEnvironment({
  retryDelaysSeconds,
  environment: more = {},
}: Pick<SystemOptions, 'retryDelaysSeconds' | 'environment'>): Record<string, string> {
  const { PATH = '', HOME = '', ANVIL_PATH = '' } = process.env;
  return {
    ...{ PATH, HOME, ANVIL_PATH },
    HOST: '127.0.0.1',
    TURNPIKE_SECRET: randomBytes(24).toString('hex'),
    WEBHOOK_RETRY_DELAYS: retryDelaysSeconds.join(','),
    RATE_LIMIT_PER_SECOND: '0',
    RATE_LIMIT_AUTH_PER_MINUTE: '0',
    RATE_LIMIT_CHECKOUT_PER_MINUTE: '0',
    DATABASE_POOL_MAX: '12',
    LOG_LEVEL: 'warn',
    ...more,
  };
}

/** Stops every part, even if another cannot be stopped; throws at the end, with the first such error as the cause. */
async function stopAll(stops: Stops): Promise<void> {
  const faults: unknown[] = [];
  for (let stop = stops.pop(); stop; stop = stops.pop()) await stop().catch((error: unknown) => faults.push(error));
  if (faults.length > 0) throw new Error('Something could not be cleaned up', { cause: faults[0] });
}
