// The gateway as an operator starts it: the built program in a process of its own.

import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** All the variables that a program sees. */
export type Environment = Readonly<Record<string, string>>;

export interface Program {
  /** Resolves once it says that it is ready, rejects with its last words when it ends before. */
  readonly ready: Promise<void>;
  /** Ends it as an operator would. */
  stop(): Promise<void>;
}

/** Starts src/main.ts as a process of its own. */
export function startProgram(env: Environment): Program {
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = new Promise<void>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      said += String(chunk);
      if (said.includes('Turnpike is ready')) resolve();
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('close', () => reject(new Error(said)));
  });
  return {
    ready,
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
