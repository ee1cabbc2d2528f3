// Runs a test's workers until none of them has anything to do.

import type { Worker } from '../../src/loop.ts';

const MOST_ROUNDS = 500;

export async function runUntilIdle(...workers: Worker[]): Promise<void> {
  for (let rounds = 0; ; rounds += 1) {
    if (rounds > MOST_ROUNDS) throw new Error('the workers do not come to rest');
    let busy = false;
    for (const worker of workers) busy = (await worker.processNext()) || busy;
    if (!busy) return;
  }
}
