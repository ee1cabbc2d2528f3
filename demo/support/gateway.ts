// The gateway of a story: one that is already running, or its own, which it starts and stops.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../scripts/free-port.ts';
import { Difference } from './expect.ts';
import { waitUntil } from './wait.ts';

export interface GatewayUnderTest {
  readonly baseUrl: string;
  /** Whether the demo started it. */
  readonly own: boolean;
  /** The data folder of our own gateway; null for another, whose data our environment points to. */
  readonly dataDir: string | null;
  /** What it has printed; empty if it is not ours. */
  output(): string;
  /** Stops it if it is ours. Throws `Difference` if it does not end within 10 s with exit code 0. */
  stop(): Promise<void>;
}

/** A gateway that the demo started on a data folder that is there before and after it. */
export interface OwnGateway extends GatewayUnderTest {
  readonly own: true;
  readonly dataDir: string;
  /** Ends it with SIGKILL. What it had started is ended by the next start on its folder. */
  kill(): Promise<void>;
}

const START_MS = 120_000;
const STOP_MS = 10_000;
const PROBE_MS = 2_000;

/** Uses the gateway that is ready at `baseUrl`; if there is none, starts one on `port` with a temporary DATA_DIR. */
export async function findOrStartGateway(
  { baseUrl, port, env }: Wanted,
  interruption: AbortSignal,
): Promise<GatewayUnderTest> {
  // A gateway that is already running does not know the chains that were started for the story.
  if (Object.keys(env).length === 0 && (await isReady(baseUrl)))
    return { baseUrl, own: false, dataDir: null, output: () => '', stop: async () => undefined };
  return startGateway(port ?? (await freePort()), env, interruption);
}

interface Wanted {
  readonly baseUrl: string;
  readonly port: number | null;
  /** Environment variables, which only a gateway of our own gets. */
  readonly env: Readonly<Record<string, string>>;
}

async function isReady(baseUrl: string): Promise<boolean> {
  const probe = fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(PROBE_MS) });
  return probe.then(
    async (response) => (await response.body?.cancel(), response.status === 200),
    () => false,
  );
}

async function startGateway(port: number, env: Wanted['env'], interruption: AbortSignal): Promise<GatewayUnderTest> {
  const dataDir = await makeDataDir('demo');
  const remove = () => rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  try {
    const gateway = await startOnFolder({ port, env, dataDir }, interruption);
    return { ...gateway, stop: () => gateway.stop().finally(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A new folder for a gateway or a database server. */
export async function makeDataDir(name: string): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), `turnpike-${name}-`));
  // Started by root, the gateway runs PostgreSQL as another user, who must be able to traverse this folder.
  await chmod(dataDir, 0o711);
  return dataDir;
}

interface OwnStart {
  readonly port: number;
  readonly env: Wanted['env'];
  readonly dataDir: string;
}

/** Starts a gateway on a data folder, and waits until it is ready. */
export async function startOnFolder({ port, env, dataDir }: OwnStart, interruption: AbortSignal): Promise<OwnGateway> {
  const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  const child = spawn(process.execPath, ['--enable-source-maps', program], {
    env: { ...environment(), ...env, PORT: String(port), DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In a process group of its own it does not receive Ctrl-C: only the demo stops it, once.
    detached: true,
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => void output.push(chunk));
  const gateway = {
    baseUrl: `http://localhost:${port}`,
    own: true,
    dataDir,
    output: () => Buffer.concat(output).toString(),
    stop: () => stopChild(child),
    kill: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  } as const;
  try {
    await waitForStart(child, gateway.baseUrl, interruption);
    return gateway;
  } catch (error) {
    await gateway.stop().catch(() => undefined);
    throw new Error(`The gateway did not start. It printed:\n${gateway.output()}`, { cause: error });
  }
}

/** Our environment without variables that would give the gateway another database, node, address or role. */
function environment(): NodeJS.ProcessEnv {
  const elsewhere =
    /^(TURNPIKE_.*|ROLES|HOST|BASE_URL|PAY_URL|CELL|DATABASE_URL|DATABASE_READ_URLS|TLS_.*|TRUST_PROXY|WEBHOOK_.*|RATE_LIMIT_.*|KEYSTORE_.*|SANDBOX_NETWORKS)$|_(RPC_URL|CONTRACT|XPUB|CHAIN_ID|GENESIS_HASH|CONFIRMATIONS|NETWORK_FEE)$/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !elsewhere.test(name)));
}

async function waitForStart(child: ChildProcess, baseUrl: string, interruption: AbortSignal): Promise<void> {
  let fault: Error | null = null;
  child.once('error', (error) => (fault = error));
  const look = async () => {
    interruption.throwIfAborted();
    if (fault !== null) throw fault;
    if (hasEnded(child)) throw new Error(`It ended with ${endOf(child)}`);
    return (await isReady(baseUrl)) ? true : null;
  };
  await waitUntil(`${baseUrl}/readyz to answer 200`, look, { deadlineMs: START_MS });
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.pid === undefined) return;
  if (hasEnded(child)) throw new Difference('The gateway', 'to run until it is stopped', `ended with ${endOf(child)}`);
  const ended = once(child, 'exit', { signal: AbortSignal.timeout(STOP_MS) });
  child.kill('SIGTERM');
  try {
    await ended;
  } catch {
    child.kill('SIGKILL');
    throw new Difference('The gateway after SIGTERM', `to end within ${STOP_MS / 1_000} s`, 'still running; killed');
  }
  if (child.exitCode !== 0) throw new Difference('The gateway after SIGTERM', 'exit code 0', endOf(child));
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function endOf(child: ChildProcess): string {
  return child.signalCode === null ? `exit code ${child.exitCode}` : `signal ${child.signalCode}`;
}
