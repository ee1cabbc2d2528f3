// Keeps a publisher from outrunning readers that keep up. A burst is read from the log faster than a process can send
// it, so without a pause a reader would be ended for our own haste.

import { setTimeout as rest } from 'node:timers/promises';

/** What a publisher may have to wait for: a queue that is more than half full. */
export interface Crowded {
  waiting(): number;
  readonly most: number;
}

export interface Pace {
  /** Notes a queue that is more than half full. */
  note(queue: Crowded): void;
  /**
   * Resolves when those noted are at most half full, or would not be soon: a reader that stopped, or hardly reads, holds
   * up nobody. It fills up in a few batches, and is ended.
   */
  letRead(): Promise<void>;
}

/** What a pace goes by; a test has one of its own. */
export interface PaceClock {
  /** Milliseconds since any one moment. */
  now(): number;
  /** Resolves after so many. */
  rest(ms: number): Promise<void>;
}

const CLOCK: PaceClock = { now: () => performance.now(), rest };

const LOOK_EVERY_MS = 10;
/** What counts of the time between two looks: while the whole process stood still, no reader could read. */
const MOST_BETWEEN_MS = 2 * LOOK_EVERY_MS;
/** Within this a reader that reads at all has shown how fast. */
const JUDGED_AFTER_MS = 50;
/** The longest that all others wait at a time, and the share of time that they wait in the long run. */
const MOST_MS = 2_000;
const MOST_SHARE = 0.1;

/** Makes the pace of one publisher. */
export function createPace(clock = CLOCK): Pace {
  const noted = new Set<Crowded>();
  let leftMs = MOST_MS;
  let countedAtMs = clock.now();

  async function wait(): Promise<void> {
    let awaited = [...noted].map((queue) => ({ queue, before: queue.waiting() }));
    noted.clear();
    let lookedAtMs = clock.now();
    leftMs = Math.min(MOST_MS, leftMs + (lookedAtMs - countedAtMs) * MOST_SHARE);
    let elapsedMs = 0;
    while (awaited.length > 0 && elapsedMs < leftMs) {
      await clock.rest(LOOK_EVERY_MS);
      const nowMs = clock.now();
      elapsedMs += Math.min(nowMs - lookedAtMs, MOST_BETWEEN_MS);
      lookedAtMs = nowMs;
      awaited = awaited.filter(({ queue, before }) => isWorthwhile(queue, { before, elapsedMs, leftMs }));
    }
    leftMs = Math.max(0, leftMs - elapsedMs);
    countedAtMs = lookedAtMs;
  }

  return {
    note: (queue) => void noted.add(queue),
    letRead: () => (noted.size > 0 ? wait() : Promise.resolve()),
  };
}

interface Waited {
  /** Values that waited at the beginning. */
  readonly before: number;
  readonly elapsedMs: number;
  readonly leftMs: number;
}

/** Whether a queue is still too full, and will not be much longer if its reader goes on as it does. */
function isWorthwhile({ waiting, most }: Crowded, { before, elapsedMs, leftMs }: Waited): boolean {
  const now = waiting();
  const tooMany = now - most / 2;
  if (tooMany <= 0) return false;
  if (elapsedMs < JUDGED_AFTER_MS) return true;
  const perMs = (before - now) / elapsedMs;
  return perMs > 0 && elapsedMs + tooMany / perMs <= leftMs;
}
