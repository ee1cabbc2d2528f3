// Finds, starts and stops an anvil process on a loopback port. It knows nothing of what happens on the chain.

import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { hiddenHost } from '../hidden-host.ts';

/** Where an anvil listens. */
export interface AnvilPlace {
  readonly host: string;
  readonly port: number;
}

/** How to start one anvil. Only `log` is needed. */
export interface AnvilOptions {
  readonly log: Logger;
  /** Path or name of the program; default the npm package's, else `anvil` on the PATH. */
  readonly binary?: string | undefined;
  readonly chainId?: number;
  /** Default: a loopback address that cannot be guessed, and a free port that the system chooses. */
  readonly place?: AnvilPlace;
  /** A state file that anvil reads at its start if it exists, and writes when it is stopped. */
  readonly stateFile?: string;
  /** Folder for anvil's temporary files; default one below the system's, and never the home folder. */
  readonly cachePath?: string;
  readonly extraArgs?: readonly string[];
}

/** A running anvil that mines on demand only (`evm_mine`, `anvil_mine`). */
export interface Anvil {
  readonly url: string;
  readonly place: AnvilPlace;
  readonly pid: number;
  /** Resolves when the process is gone, for whatever reason. */
  readonly exited: Promise<void>;
  /** Ends the process: SIGTERM, and SIGKILL after a second. Resolves when it is gone. */
  stop(): Promise<void>;
}

/** No anvil to start; the message says in one line what to install or to set. */
export class AnvilMissing extends Error {
  constructor(options?: { cause?: unknown }) {
    super(
      'No anvil found for the sandbox chain: install Foundry (https://getfoundry.sh), or set ANVIL_PATH to an anvil, or ETH_RPC_URL to a node',
      options,
    );
    this.name = 'AnvilMissing';
  }
}

const DEFAULT_CHAIN_ID = 31_337;
/** It takes a tenth of a second, but many seconds on a busy machine or when it is read from the disk. */
const START_TIMEOUT_MS = 30_000;
const TERM_GRACE_MS = 1_000;

/**
 * Starts anvil and resolves when it listens. Throws `AnvilMissing` when there is no such program, an `Error` with
 * anvil's last output when it does not come up.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const binary = options.binary ?? packagedAnvil() ?? 'anvil';
  // A session of its own: Ctrl-C in a terminal reaches only us, and we stop anvil once its state is safe.
  const at = options.place ?? { host: await hiddenHost(), port: 0 };
  const child = spawn(binary, anvilArgs(options, at), { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const place = { host: at.host, port: await listening(child) };
  const pid = child.pid;
  if (pid === undefined) throw new Error('anvil listens but has no process id');
  // A full pipe must not stop it, and it must not keep this process alive.
  child.stdout?.resume();
  child.stderr?.resume();
  child.unref();
  options.log.debug({ pid, ...place, binary }, 'anvil started');
  return { url: `http://${place.host}:${place.port}`, place, pid, exited, stop: () => stopChild(child, exited) };
}

function anvilArgs(options: AnvilOptions, { host, port }: AnvilPlace): string[] {
  const { chainId = DEFAULT_CHAIN_ID, stateFile, extraArgs = [] } = options;
  return [
    ...['--host', host, '--port', String(port), '--chain-id', String(chainId)],
    '--no-mining',
    // Without a number here anvil keeps every block's state on disk in the home folder: gigabytes. In memory each costs
    // some megabytes once thousands of accounts exist; 200 of them were seen to take a gigabyte.
    ...['--prune-history', '64'],
    ...['--cache-path', options.cachePath ?? join(tmpdir(), 'turnpike-anvil')],
    ...['--slots-in-an-epoch', '4'],
    // In order of arrival: the same transactions sent again make the same blocks.
    ...['--order', 'fifo'],
    // Web pages in a developer's browser must not reach the chain; for web sockets only the hidden address prevents
    // that.
    '--no-cors',
    '--no-request-size-limit',
    ...(stateFile === undefined ? [] : ['--state', stateFile]),
    ...extraArgs,
  ];
}

/** The npm package's anvil; null if there is no package for the platform. */
function packagedAnvil(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  try {
    return createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/bin/anvil');
  } catch {
    return null;
  }
}

/**
 * Reads anvil's output until it says where it listens. There is no race for a free port: the system chose it for anvil.
 */
function listening(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let output = '';
    const settle = (act: () => void) => {
      clearTimeout(timer);
      child.stdout?.off('data', read);
      child.stderr?.off('data', read);
      act();
    };
    const fail = (why: string) =>
      settle(() => {
        child.kill('SIGKILL');
        reject(new Error(`anvil ${why}: ${output.trim().split('\n').slice(-5).join(' ') || 'no output'}`));
      });
    const read = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-4_096);
      // Up to the end of the line: a number that came in part is another port.
      const found = /Listening on \S+:(\d+)\s/.exec(output);
      if (found) settle(() => resolve(Number(found[1])));
    };
    const timer = setTimeout(() => fail(`did not listen within ${START_TIMEOUT_MS / 1000} s`), START_TIMEOUT_MS);
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('close', (code, signal) => fail(`ended at its start (${signal ?? `exit code ${code}`})`));
    child.once('error', (error: NodeJS.ErrnoException) => {
      const missing = error.code === 'ENOENT' || error.code === 'EACCES';
      settle(() => reject(missing ? new AnvilMissing({ cause: error }) : error));
    });
  });
}

async function stopChild(child: ChildProcess, exited: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), TERM_GRACE_MS);
  await exited;
  clearTimeout(timer);
}
