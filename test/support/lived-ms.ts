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
 * The same where the work is done elsewhere too, by a database or by another process: `pulse` asks those, and while they
 * do not answer they were not let run either.
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

/**
 * What came of the work when this process did not stand still for so long meanwhile: what a time-out of the product has
 * rightly ended says nothing. However it ended otherwise, it is not done again.
 */
export async function undisturbed<Value>(mostStillMs: number, work: () => Promise<Value>): Promise<Value> {
  for (;;) {
    let longestMs = 0;
    let lastMs = performance.now();
    const look = () => {
      const nowMs = performance.now();
      longestMs = Math.max(longestMs, nowMs - lastMs);
      lastMs = nowMs;
    };
    const timer = setInterval(look, TURN_MS);
    const [outcome] = await Promise.allSettled([work()]);
    clearInterval(timer);
    look();
    if (longestMs >= mostStillMs) continue;
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }
}

/** A turn of somebody else's life that took longer is one in which he, or who he asks, was not let run. */
const LONGEST_TURN_MS = 50;

/**
 * The same of what another process has to do: milliseconds in which it did answer, whatever `ask` asks it. What it cannot do
 * because the machine has no time for it is not held against it.
 */
export async function livedTogetherMs(ask: () => Promise<unknown>, work: Promise<unknown>): Promise<number> {
  let isDone = false;
  let ms = 0;
  const count = async () => {
    while (!isDone) {
      const from = performance.now();
      await ask();
      await new Promise((resolve) => setTimeout(resolve, TURN_MS));
      ms += Math.min(performance.now() - from, LONGEST_TURN_MS);
    }
  };
  await Promise.all([work.finally(() => (isDone = true)), count()]);
  return ms;
}
