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
