// Starts the receiver's process and ends it.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readReceiverLog, type ReceiverLog } from './log.ts';

export interface Receiver {
  readonly origin: string;
  /** Makes it answer every request with 200 immediately from now on. */
  turnHealthy(): void;
  readReceiverLog(): Promise<ReceiverLog>;
  /** Whether it has taken a request at a path. */
  hasTaken(path: string): Promise<boolean>;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('./program.js', import.meta.url));

/** Starts the receiver on a free loopback port. */
export async function startReceiver(bookPath: string, seed: number): Promise<Receiver> {
  const child = spawn(process.execPath, ['--enable-source-maps', PROGRAM, bookPath, String(seed)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  });
  const ended = once(child, 'exit');
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
  if (child.exitCode !== null) throw new Error('The receiver did not start');
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    turnHealthy: () => void child.send('healthy'),
    readReceiverLog: () => readReceiverLog(bookPath),
    hasTaken: async (path) => (await readFile(bookPath, 'utf8')).includes(JSON.stringify(path)),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await ended;
    },
  };
}
