// Starts the gateway as an operator does: the built program in a process of its own.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { FAST_START_VARIABLES } from '../support/jest/fast-start-variables.ts';

const PROGRAM = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** All variables of the program, except one that only makes it start sooner. */
export type Environment = Readonly<Record<string, string>>;

export interface Program {
  readonly pid: number;
  /** Resolves when it reports that it is ready; rejects with its last output if it ends before. */
  readonly ready: Promise<void>;
  /** Resolves with its exit code once it has ended; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Everything on its terminal so far, the log included. */
  said(): string;
  /** Ends it as an operator would. */
  stop(): Promise<void>;
  /** Ends it with SIGKILL. */
  kill(): Promise<void>;
}

/** Starts src/main.ts as a process of its own, or another build of it. */
export function startProgram(env: Environment, program = PROGRAM): Program {
  // Another build exists for one test only, so nothing of it is cached.
  const all = program === PROGRAM ? { ...FAST_START_VARIABLES, ...env } : env;
  const child = spawn(process.execPath, [program], { env: all, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const ready = new Promise<void>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      said += String(chunk);
      if (said.includes('Turnpike is ready')) resolve();
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('close', () => reject(new Error(said)));
  });
  // Tests of programs that must not start use `exited` instead.
  ready.catch(() => undefined);
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  return {
    pid: child.pid ?? 0,
    ready,
    exited,
    said: () => said,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}
