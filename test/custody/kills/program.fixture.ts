// A signer as a process of its own, that a test can kill: it stands still for good at the point where it is to be
// killed. What it asks is asked over IPC.

import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { runSigner, type Call, type Passed, type Question, type SignerTask } from './task.fixture.ts';

/** What the test tells it to begin with. */
export interface KilledTask extends SignerTask {
  /** Where it stops: `before send PAYOUT`, for one. */
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

/** Nobody wakes it; a test that is itself gone leaves nothing behind for long. */
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
// What is killed writes nothing down at its end: the next one starts sooner by what is written while this one waits.
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

// A test that is itself ended leaves nobody to pay for.
process.on('disconnect', () => process.exit());
