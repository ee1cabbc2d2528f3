// Runs the tasks of a bench in child processes, and defines the sample that each run returns.

import { fork } from 'node:child_process';
import { once } from 'node:events';

/** The result of one run. Latencies are in milliseconds. */
export interface Sample {
  /** Successful calls or transactions. */
  readonly count: number;
  /** From the start to the last successful answer. */
  readonly seconds: number;
  readonly failures: number;
  readonly firstFailure: string | null;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The share of one core that the measuring process itself used; null if unknown. */
  readonly ownCpu: number | null;
  /** The gateway's CPU time per call, in microseconds; absent if there is no gateway or the time is unknown. */
  readonly gatewayMicros?: number;
}

interface Job<Task> {
  readonly seconds: number;
  readonly task: Task;
}

export interface RunProcess<Task> {
  run(task: Task, seconds: number): Promise<Sample>;
  close(): Promise<void>;
}

/** Starts a process that runs `module`, which calls `serveRuns`. */
export function startRunProcess<Task>(module: URL): RunProcess<Task> {
  const child = fork(module, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  return {
    async run(task, seconds) {
      child.send({ task, seconds });
      const [message] = (await Promise.race([once(child, 'message'), ended.then(() => [null])])) as [
        Sample | Failed | null,
      ];
      if (message === null) throw new Error(`${module.pathname} ended in the middle of a run`);
      if ('error' in message) throw new Error(message.error);
      return message;
    },
    async close() {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

interface Failed {
  readonly error: string;
}

/** Called in such a process: performs each requested run, until the parent is gone. */
export function serveRuns<Task>(run: (task: Task, seconds: number) => Promise<Omit<Sample, 'ownCpu'>>): void {
  const perform = async ({ task, seconds }: Job<Task>): Promise<Sample | Failed> => {
    const cpu = process.cpuUsage();
    const startedMs = performance.now();
    try {
      const sample = await run(task, seconds);
      const { user, system } = process.cpuUsage(cpu);
      return { ...sample, ownCpu: (user + system) / 1_000 / (performance.now() - startedMs) };
    } catch (error) {
      return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  };
  process.on('message', (job: Job<Task>) => void perform(job).then((result) => process.send?.(result)));
  process.on('SIGINT', () => undefined); // The parent stops us after its cleanup.
}

/** The value below which a share of the values lies; sorts the values in place. */
export function percentile(values: number[], share: number): number {
  values.sort((a, b) => a - b);
  return values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
}

/** Collects latencies and failures of a closed loop. */
export function createMeter(seconds: number) {
  const startedMs = performance.now();
  const latenciesMs: number[] = [];
  let lastMs = startedMs;
  let failures = 0;
  let firstFailure: string | null = null;
  return {
    /** Whether another request may still be sent. */
    open: () => performance.now() - startedMs < seconds * 1_000,
    succeed(sentMs: number): void {
      lastMs = performance.now();
      latenciesMs.push(lastMs - sentMs);
    },
    fail(what: string): void {
      failures += 1;
      firstFailure ??= what;
    },
    sample: (): Omit<Sample, 'ownCpu'> => ({
      count: latenciesMs.length,
      seconds: (lastMs - startedMs) / 1_000,
      failures,
      firstFailure,
      p50Ms: percentile(latenciesMs, 0.5),
      p99Ms: percentile(latenciesMs, 0.99),
    }),
  };
}
