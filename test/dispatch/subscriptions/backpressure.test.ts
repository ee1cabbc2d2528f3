// Which readers a publisher waits for: those that keep up, and never long for one that does not. The clock advances
// only during waits, so a busy machine changes nothing.

import { describe, expect, it } from '@jest/globals';
import { createBackpressure, type BackpressureClock } from '../../../src/dispatch/subscriptions/backpressure.ts';

/** A clock, and how much longer than each wait the process stands still. */
function createClock({ stillMs = 0 } = {}): BackpressureClock & { readMs(): number } {
  let nowMs = 0;
  let readMs = 0;
  return {
    now: () => nowMs,
    /** How long readers had time to read. */
    readMs: () => readMs,
    rest(ms) {
      nowMs += ms + stillMs;
      readMs += ms;
      return Promise.resolve();
    },
  };
}

/** A full queue, of which its reader takes this many values a millisecond while it can read. */
function fullQueue(clock: ReturnType<typeof createClock>, perMs: number) {
  const startMs = clock.readMs();
  return { most: 1_000, waiting: () => Math.max(0, Math.round(1_000 - perMs * (clock.readMs() - startMs))) };
}

describe('the pace of a publisher', () => {
  it('waits for a reader that reads, until half is read', async () => {
    const clock = createClock();
    const pace = createBackpressure(clock);
    pace.note(fullQueue(clock, 10));
    await pace.waitForReaders();
    expect(clock.now()).toBe(50);
  });

  it.each([
    ['has stopped', 0],
    ['would take too long', 0.1],
  ])('waits hardly at all for one that %s', async (_name, perMs) => {
    const clock = createClock();
    const pace = createBackpressure(clock);
    pace.note(fullQueue(clock, perMs));
    await pace.waitForReaders();
    expect(clock.now()).toBe(50);
  });

  it('does not take a process that stood still for a reader that stopped, or that is slow', async () => {
    const clock = createClock({ stillMs: 300 });
    const pace = createBackpressure(clock);
    const queue = fullQueue(clock, 1);
    pace.note(queue);
    await pace.waitForReaders();
    expect(queue.waiting()).toBe(500);
  });

  it('waits for nobody without end: the next waits have only what time has given back', async () => {
    const clock = createClock();
    const pace = createBackpressure(clock);
    for (let i = 0; i < 20; i += 1) {
      pace.note(fullQueue(clock, 0.5));
      await pace.waitForReaders();
    }
    // Waiting for the stalled reader would take twenty waits of a second each.
    expect(clock.now()).toBeGreaterThanOrEqual(2_000);
    expect(clock.now()).toBeLessThan(3_500);
  });
});
