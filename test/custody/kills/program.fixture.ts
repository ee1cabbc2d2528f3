// The child process of the kill tests: runs a signer, and at a chosen point prints `held` and blocks until it is
// killed. Its calls to the chain and the keys are answered by the test over IPC.

import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { runSigner, type Call, type Passed, type Question, type SignerTask } from './run-signer.fixture.ts';

/** The task, as the test sends it. */
export interface KilledTask extends SignerTask {
  /** The point at which it stops, such as `before send PAYOUT`. */
  readonly stopAt: string;
}

export interface Ask extends Question {
  readonly id: number;
}

/** The test's answer. */
export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** It waits to be killed; if the test is gone, it exits after this time. */
const STANDS_STILL_MS = 60_000;

function createPoints(stopAt: string): Passed {
  return (point) => {
    if (point !== stopAt) return;
    writeSync(1, 'held\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STANDS_STILL_MS);
    process.exit(1);
  };
}

function createCall(): Call {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  let lastId = 0;
  process.on('message', (message: Answer | KilledTask) => {
    if (!('id' in message)) return;
    const { id, value, error } = message;
    if (error === undefined) waiting.get(id)?.resolve(value as never);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  return (method, ...parameters) =>
    new Promise((resolve, reject) => {
      lastId += 1;
      waiting.set(lastId, { resolve, reject });
      process.send?.({ id: lastId, method, parameters } satisfies Ask);
    });
}

const call = createCall();
// A killed process does not write its compile cache on exit. Writing it now, while this one waits, lets the next one
// start sooner.
flushCompileCache();
process.once('message', (task: KilledTask) => {
  runSigner(task, call, createPoints(task.stopAt)).then(
    () => process.disconnect(),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});

// If the test has ended, this process ends too.
process.on('disconnect', () => process.exit());
