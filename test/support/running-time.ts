// Measures durations for tests without the time in which a busy machine did not run the process.

const TURN_MS = 10;

/**
 * The milliseconds in which this process ran until the work was done: on an idle machine those of the clock, on a busy
 * one without those in which it was stopped. Waiting for a time-out takes the same on any machine.
 */
export async function runningMs(work: Promise<unknown>): Promise<number> {
  const stopwatch = startStopwatch();
  await work.finally(stopwatch.stop);
  return stopwatch.ms();
}

export interface Stopwatch {
  ms(): number;
  stop(this: void): void;
}

/** Counts until it is stopped, for work that can end in several ways. */
export function startStopwatch(): Stopwatch {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), TURN_MS);
  return { ms: () => turns * TURN_MS, stop: () => clearInterval(timer) };
}

/** How much of one turn counts: while the process, or what is asked, stood still, nothing could happen. */
const MOST_OF_A_TURN_MS = 3 * TURN_MS;

/**
 * The same for work that is also done elsewhere, in a database or another process: `pulse` asks those, and the time in
 * which they do not answer does not count either.
 */
export async function runningMsOf(pulse: () => Promise<unknown>, work: Promise<unknown>): Promise<number> {
  let ended = false;
  void work.catch(() => undefined).finally(() => (ended = true));
  let ms = 0;
  while (!ended) {
    const startedMs = performance.now();
    await Promise.all([pulse(), new Promise((resolve) => setTimeout(resolve, TURN_MS))]);
    ms += Math.min(performance.now() - startedMs, MOST_OF_A_TURN_MS);
  }
  await work;
  return ms;
}
