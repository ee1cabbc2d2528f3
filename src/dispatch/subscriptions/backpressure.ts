// Slows a publisher down for subscribers that keep up. A burst is read from the log faster than a process can send it,
// so without a pause the queue of a healthy subscriber would overflow.

import { setTimeout as rest } from 'node:timers/promises';

/** A queue that is more than half full, which a publisher may have to wait for. */
export interface CrowdedQueue {
  waiting(): number;
  readonly most: number;
}

export interface Backpressure {
  /** Registers a queue that is more than half full. */
  note(queue: CrowdedQueue): void;
  /**
   * Resolves once the registered queues are at most half full or will not be soon. A subscriber that stopped, or hardly
   * reads, delays no other: its queue overflows within a few batches and is ended.
   */
  waitForReaders(): Promise<void>;
}

/** Clock and timer, replaceable in tests. */
export interface BackpressureClock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Resolves after this many milliseconds. */
  rest(ms: number): Promise<void>;
}

const CLOCK: BackpressureClock = { now: () => performance.now(), rest };

const LOOK_EVERY_MS = 10;
/** Most time that counts between two checks: while the whole process was suspended, no subscriber could read. */
const MOST_BETWEEN_MS = 2 * LOOK_EVERY_MS;
/** By then a subscriber that reads at all has shown how fast it is. */
const JUDGED_AFTER_MS = 50;
/** The longest single wait, and the largest share of time spent waiting in the long run. */
const MOST_MS = 2_000;
const MOST_SHARE = 0.1;

/** Creates the backpressure of one publisher. */
export function createBackpressure(clock = CLOCK): Backpressure {
  const noted = new Set<CrowdedQueue>();
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
    waitForReaders: () => (noted.size > 0 ? wait() : Promise.resolve()),
  };
}

interface Waited {
  /** Queued values when the wait began. */
  readonly before: number;
  readonly elapsedMs: number;
  readonly leftMs: number;
}

/** Whether a queue is still too full, but will drain soon at its subscriber's current speed. */
function isWorthwhile({ waiting, most }: CrowdedQueue, { before, elapsedMs, leftMs }: Waited): boolean {
  const now = waiting();
  const tooMany = now - most / 2;
  if (tooMany <= 0) return false;
  if (elapsedMs < JUDGED_AFTER_MS) return true;
  const perMs = (before - now) / elapsedMs;
  return perMs > 0 && elapsedMs + tooMany / perMs <= leftMs;
}
