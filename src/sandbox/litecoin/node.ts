// Starts and stops a litecoind in regtest mode on a loopback port, for the tests and for sandboxes of developers who
// have installed it.

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createRpc, RpcError, type Rpc } from '../../chain/utxo/rpc.ts';
import { endLeftoverProcesses } from '../leftover-processes.ts';

export interface LitecoinNodeOptions {
  /** Absolute; created if missing. */
  readonly dataDir: string;
  readonly log: Logger;
  /** Path or name of the program. */
  readonly binary?: string | undefined;
  readonly extraArgs?: readonly string[];
}

export interface LitecoinNode {
  /** `http://127.0.0.1:<port>`, without credentials. */
  readonly url: string;
  /** Where the node writes its credentials. */
  readonly cookiePath: string;
  readonly pid: number;
  readonly rpc: Rpc;
  /** Resolves when the process is gone, for whatever reason. */
  readonly exited: Promise<void>;
  /** Shuts it down cleanly, which takes about a second. */
  stop(): Promise<void>;
}

/** No litecoind to start; the message says what to install or to set. */
export class LitecoindMissing extends Error {
  constructor(options?: { cause?: unknown }) {
    super('No litecoind found: install it (Debian: apt install litecoind), or set LITECOIND_PATH to one', options);
    this.name = 'LitecoindMissing';
  }
}

const DEFAULT_BINARY = 'litecoind';
const START_TIMEOUT_MS = 30_000;
const TERM_GRACE_MS = 8_000;
/** Another process may take the port that was free a moment ago. */
const ATTEMPTS = 3;

/** Whether litecoind is installed. */
export function hasLitecoind(binary: string = DEFAULT_BINARY): boolean {
  return spawnSync(binary, ['-version'], { stdio: 'ignore' }).status === 0;
}

/** Starts litecoind and resolves when it answers. First ends one that an earlier run left behind on the same folder. */
export async function startLitecoinNode(options: LitecoinNodeOptions): Promise<LitecoinNode> {
  const { dataDir, binary = DEFAULT_BINARY, log } = options;
  if (!hasLitecoind(binary)) throw new LitecoindMissing();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const marker = `-datadir=${dataDir}`;
  await endLeftoverProcesses(marker, log);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await start(options, binary, marker, await freePort());
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      log.debug({ err: error }, 'litecoind did not start; trying another port');
    }
  }
}

async function start(
  { dataDir, log, extraArgs = [] }: LitecoinNodeOptions,
  binary: string,
  marker: string,
  port: number,
): Promise<LitecoinNode> {
  const child = spawn(binary, [...argsOf(port), marker, ...extraArgs], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  let lastOutput = '';
  child.stderr?.on('data', (chunk: Buffer) => (lastOutput = (lastOutput + chunk.toString('utf8')).slice(-1_000)));
  child.unref();
  const url = `http://127.0.0.1:${String(port)}`;
  const cookiePath = join(dataDir, 'regtest', '.cookie');
  const rpc = createRpc({ network: 'LTC', url, cookiePath, timeoutMs: 30_000 });
  await Promise.race([
    untilAnswering(rpc),
    exited.then(() => Promise.reject(new Error(`litecoind ended at its start: ${lastOutput.trim()}`))),
  ]).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  log.debug({ pid: child.pid, port }, 'litecoind started');
  return { url, cookiePath, pid: child.pid ?? 0, rpc, exited, stop: () => stopChild(child, exited) };
}

/** No peers, no default wallet, and the MWEB extension block active as early as possible. */
function argsOf(port: number): string[] {
  return [
    ...['-regtest', '-server', '-listen=0', '-dnsseed=0', '-connect=0', '-txindex=1', '-vbparams=mweb:-2:0'],
    ...[`-rpcport=${String(port)}`, '-rpcbind=127.0.0.1', '-rpcallowip=127.0.0.1', '-rpcworkqueue=64'],
    ...['-fallbackfee=0.0001', '-printtoconsole=0', '-dbcache=16', '-par=1'],
    // Off by default in litecoind: it would refuse transactions that offer more.
    '-mempoolreplacement=1',
    // On by default in regtest only: checks all blocks at each new one, and ends the node over a supposed contradiction
    // when it returns to a block that it had left.
    '-checkblockindex=0',
  ];
}

async function untilAnswering(rpc: Rpc): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    try {
      await rpc.call('getblockcount');
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      // -28: still loading. Any error but an RpcError means that the port is not open or the cookie not written yet.
      if (error instanceof RpcError && error.code !== -28) throw error;
      await rest(50);
    }
  }
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), TERM_GRACE_MS);
  await exited;
  clearTimeout(timer);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
