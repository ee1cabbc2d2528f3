// Derives addresses ahead of time on a worker thread: the curve multiplication is a third of the CPU time of creating a
// payment, and would block the event loop.

import { Worker } from 'node:worker_threads';
import type { ParsedAddress } from './adapter.ts';

/** Derive `count` children of the external chain, starting at index `first`. `account` names the kind, e.g. `evm`. */
export interface DerivationJob {
  readonly account: string;
  readonly xpub: string;
  readonly first: number;
  readonly count: number;
}

/** Consecutive addresses of a job, the first at index `first`; empty if the kind is not supported. */
export interface Derived {
  readonly job: number;
  readonly first: number;
  readonly addresses: readonly ParsedAddress[];
  readonly isLast: boolean;
}

/** Reports the addresses of a job as they are derived. A caller that needs one earlier derives it itself. */
export type DeriveAhead = (
  job: DerivationJob,
  onDerived: (first: number, addresses: readonly ParsedAddress[]) => void,
) => void;

/**
 * The thread starts with the first job and does not keep the process alive. It only saves time: if it fails, it emits a
 * warning and derives no more addresses.
 */
export function createDerivationThread(): DeriveAhead {
  const listeners = new Map<number, Parameters<DeriveAhead>[1]>();
  let thread: Worker | null = null;
  let failed = false;
  let jobs = 0;

  function start(): Worker {
    const worker = new Worker(new URL('./derivation-worker.js', import.meta.url));
    worker.on('message', ({ job, first, addresses, isLast }: Derived) => {
      listeners.get(job)?.(first, addresses);
      if (isLast) listeners.delete(job);
    });
    worker.on('error', (error: unknown) => {
      failed = true;
      listeners.clear();
      process.emitWarning(error instanceof Error ? error : String(error));
    });
    // After adding the message listener, which would ref the worker again.
    worker.unref();
    return worker;
  }

  return (job, onDerived) => {
    if (failed) return;
    jobs += 1;
    listeners.set(jobs, onDerived);
    thread ??= start();
    thread.postMessage({ ...job, job: jobs });
  };
}
