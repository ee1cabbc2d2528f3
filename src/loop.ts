// The loop that runs every worker: run while there is work, wait when there is none, back off after an error.

import type { Logger } from 'pino';

/** Repeated work. `processNext` does one piece and returns whether there may be more. */
export interface Worker {
  readonly name: string;
  processNext(): Promise<boolean>;
}

export interface Loop {
  readonly name: string;
  /** Wakes a waiting loop; a running one runs once more before it waits. */
  nudge(): void;
  /** Ends the loop; resolves when the current run is done. */
  stop(): Promise<void>;
  /** Monotonic milliseconds since the last run that ended without an error; for health. */
  sinceSuccessMs(): number;
  /** Monotonic milliseconds since the last run that ended, with or without an error. */
  sinceRunMs(): number;
  /** Consecutive runs that ended with an error, up to now. */
  failures(): number;
  /** What it has done since it was started; `busySeconds` counts the current run, too. */
  totals(): { readonly succeeded: number; readonly failed: number; readonly busySeconds: number };
}

interface LoopOptions {
  idleMs: number;
  log: Logger;
  /** Longest wait after repeated errors. */
  maxBackoffMs?: number;
}

/** Starts a worker. Errors are logged and retried with doubling waits; they never end the loop. */
export function createLoop(worker: Worker, { idleMs, log, maxBackoffMs = 5_000 }: LoopOptions): Loop {
  let stopped = false;
  let nudged = false;
  let wake: (() => void) | undefined;
  let lastSuccess = performance.now();
  let lastRun = lastSuccess;
  let failures = 0;
  const totals = createTotals();

  const rest = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    }).finally(() => (wake = undefined));

  async function run(): Promise<void> {
    while (!stopped) {
      nudged = false;
      let busy = false;
      totals.begin();
      try {
        busy = await worker.processNext();
        failures = 0;
        lastSuccess = performance.now();
      } catch (error) {
        failures += 1;
        log.error({ err: error, worker: worker.name, failures }, 'worker failed; it will be run again');
      }
      lastRun = performance.now();
      totals.end(failures === 0);
      if (stopped || (busy && failures === 0)) continue;
      if (failures > 0) await rest(Math.min(maxBackoffMs, idleMs * 2 ** Math.min(failures, 10)));
      else if (!nudged) await rest(idleMs);
    }
  }

  const done = run();
  return {
    name: worker.name,
    nudge: () => {
      nudged = true;
      wake?.();
    },
    stop: () => {
      stopped = true;
      wake?.();
      return done;
    },
    sinceSuccessMs: () => performance.now() - lastSuccess,
    sinceRunMs: () => performance.now() - lastRun,
    failures: () => failures,
    totals: totals.read,
  };
}

/** Counts runs, and the time that they took. */
function createTotals() {
  let [succeeded, failed, busyMs] = [0, 0, 0];
  let runningSince: number | null = null;
  const currentMs = () => (runningSince === null ? 0 : performance.now() - runningSince);
  return {
    begin: () => void (runningSince = performance.now()),
    end: (isSuccess: boolean) => {
      busyMs += currentMs();
      runningSince = null;
      if (isSuccess) succeeded += 1;
      else failed += 1;
    },
    read: () => ({ succeeded, failed, busySeconds: (busyMs + currentMs()) / 1_000 }),
  };
}
