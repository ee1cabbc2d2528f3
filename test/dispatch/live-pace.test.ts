// Whom a publisher waits for: readers that keep up, and never long for one that does not.

import { describe, expect, it } from '@jest/globals';
import { createPace } from '../../src/dispatch/live-pace.ts';

/** A full queue that so many values leave in each millisecond. */
function fullQueue(perMs: number) {
  const startMs = performance.now();
  return { most: 1_000, waiting: () => Math.max(0, Math.round(1_000 - perMs * (performance.now() - startMs))) };
}
const elapsed = async (work: Promise<void>): Promise<number> => {
  const from = performance.now();
  await work;
  return performance.now() - from;
};

describe('the pace of a publisher', () => {
  it('waits for a reader that reads, until half is read', async () => {
    const pace = createPace();
    const queue = fullQueue(10);
    pace.note(queue);
    await pace.letRead();
    expect(queue.waiting()).toBeLessThanOrEqual(500);
  });

  it.each([
    ['has stopped', 0],
    ['would take too long', 0.1],
  ])('waits hardly at all for one that %s', async (_name, perMs) => {
    const pace = createPace();
    pace.note(fullQueue(perMs));
    expect(await elapsed(pace.letRead())).toBeLessThan(1_000);
  });

  it('waits for nobody without end: the next waits have only what time has given back', async () => {
    const pace = createPace();
    const from = performance.now();
    for (let i = 0; i < 20; i += 1) {
      pace.note(fullQueue(0.5));
      await pace.letRead();
    }
    // Twenty waits of a second each, if it were.
    expect(performance.now() - from).toBeLessThan(6_000);
  });
});
