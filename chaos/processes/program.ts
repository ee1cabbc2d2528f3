// A gateway process with roles of its own: the built program is started, killed with -9, and started again.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Violation } from '../invariants/violation.ts';

/** All the variables that a process sees. */
export type Environment = Readonly<Record<string, string>>;

export interface Program {
  readonly name: string;
  /** The id of the process. */
  pid(): number;
  /** Starts the program; resolves when it is ready. Throws `Violation` with its last output if it ends before that. */
  start(): Promise<void>;
  /** Sends SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Ends the program for good, as an operator would, or with SIGKILL if that takes too long. Never throws. */
  stop(): Promise<void>;
  /** Describes an exit that we did not cause; null while the program runs, or if we ended it. */
  surprise(): string | null;
  /** The last lines of its log, over all its starts. */
  lastWords(): string[];
}

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 12_000;
const KEPT_CHARACTERS = 20_000;

/** Creates the program without starting it. `environment` is called at each start; `command` runs Node. */
export function createProgram(
  name: string,
  environment: () => Environment,
  command: readonly string[] = [process.execPath],
): Program {
  const [file = '', ...before] = command;
  let child: ChildProcess | null = null;
  let logged = '';
  let stopped = false;

  return {
    name,
    pid: () => child?.pid ?? 0,
    async start() {
      // A signal may have begun the clean-up while a round was about to start this again.
      if (stopped) throw new Error(`${name} is stopped for good`);
      // In a session of its own it gets no Ctrl-C from the terminal: it is ended once, by us.
      const args = [...before, '--enable-source-maps', MAIN];
      const started = spawn(file, args, {
        env: environment(),
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      });
      child = started;
      const heard = { text: '' };
      for (const stream of [started.stdout, started.stderr])
        stream.on('data', (chunk: Buffer) => (heard.text = (heard.text + String(chunk)).slice(-KEPT_CHARACTERS)));
      started.stderr.on('data', (chunk: Buffer) => (logged = (logged + String(chunk)).slice(-KEPT_CHARACTERS)));
      await untilReady(name, started, heard);
    },
    kill: () => end(child, 'SIGKILL', STOP_WITHIN_MS),
    async stop() {
      stopped = true;
      await end(child, 'SIGTERM', STOP_WITHIN_MS);
    },
    surprise() {
      if (child === null || isRunning(child) || child.signalCode === 'SIGKILL') return null;
      return `${name} ended by itself with ${child.signalCode ?? `exit code ${child.exitCode}`}`;
    },
    lastWords: () => logged.split('\n').filter(Boolean),
  };
}

async function untilReady(name: string, child: ChildProcess, heard: { readonly text: string }): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!heard.text.includes('Turnpike is ready')) {
    if (!isRunning(child)) throw new Violation(`${name} did not start. It said: ${heard.text.trim()}`);
    if (performance.now() > deadline) throw new Violation(`${name} was not ready within ${READY_WITHIN_MS / 1_000} s`);
    await rest(20);
  }
}

async function end(child: ChildProcess | null, signal: NodeJS.Signals, patienceMs: number): Promise<void> {
  if (child === null || !isRunning(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await ended;
  clearTimeout(timer);
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}
