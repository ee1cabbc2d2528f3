// How long something took, on a machine that may be busy with other things.

const TURN_MS = 10;

/**
 * Milliseconds that this process lived through until the work was done: on a quiet machine those of the clock, and on a
 * busy one less those in which it was not let run. What waits for a time-out takes as long as it does on any machine.
 */
export async function livedMs(work: Promise<unknown>): Promise<number> {
  const stopwatch = startStopwatch();
  await work.finally(stopwatch.stop);
  return stopwatch.ms();
}

export interface Stopwatch {
  ms(): number;
  stop(this: void): void;
}

/** Counts them until it is stopped, for work that has several ends. */
export function startStopwatch(): Stopwatch {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), TURN_MS);
  return { ms: () => turns * TURN_MS, stop: () => clearInterval(timer) };
}

/** What counts of one turn: while the process or what is asked stood still, nothing could happen. */
const MOST_OF_A_TURN_MS = 3 * TURN_MS;

/**
 * The same where the work is done elsewhere too, by a database or by another process: `pulse` asks those, and while
 * they do not answer they were not let run either.
 */
export async function livedMsOf(pulse: () => Promise<unknown>, work: Promise<unknown>): Promise<number> {
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
