// Deriving addresses ahead, on a thread of its own: a multiplication on the curve takes a third of the CPU time of
// creating a payment, and the event loop is what creating payments waits for.

import { Worker } from 'node:worker_threads';
import type { ParsedAddress } from './adapter.ts';

/** What to derive: `count` children of the external chain from `first` on. `account` names the kind, e.g. `evm`. */
export interface DerivationJob {
  readonly account: string;
  readonly xpub: string;
  readonly first: number;
  readonly count: number;
}

/** Some of what a job asked for, in order, the first of them at index `first`; none where the kind is not known. */
export interface Derived {
  readonly job: number;
  readonly first: number;
  readonly addresses: readonly ParsedAddress[];
  readonly isLast: boolean;
}

/** Hands the addresses of a job over as they come. Who needs one before then derives it on their own. */
export type DeriveAhead = (
  job: DerivationJob,
  onDerived: (first: number, addresses: readonly ParsedAddress[]) => void,
) => void;

/**
 * Makes it; the thread starts with the first job and keeps no process alive. It only saves time: if it fails, a warning
 * says so, no more addresses come, and nothing else changes.
 */
export function createDerivationThread(): DeriveAhead {
  const takers = new Map<number, Parameters<DeriveAhead>[1]>();
  let thread: Worker | null = null;
  let failed = false;
  let jobs = 0;

  function start(): Worker {
    const worker = new Worker(new URL('./derivation-worker.js', import.meta.url));
    worker.on('message', ({ job, first, addresses, isLast }: Derived) => {
      takers.get(job)?.(first, addresses);
      if (isLast) takers.delete(job);
    });
    worker.on('error', (error: unknown) => {
      failed = true;
      takers.clear();
      process.emitWarning(error instanceof Error ? error : String(error));
    });
    // After the listeners: that for messages would hold the process again.
    worker.unref();
    return worker;
  }

  return (job, onDerived) => {
    if (failed) return;
    jobs += 1;
    takers.set(jobs, onDerived);
    thread ??= start();
    thread.postMessage({ ...job, job: jobs });
  };
}
