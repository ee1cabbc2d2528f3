// How many addresses a process takes at a time: one, unless they go faster than one a second. What is taken ahead of its
// use is what a restored copy of the database may not know of, and the rule that keeps its addresses apart from those of
// the lost one counts on indexes that go no faster than the clock.

export interface Demand {
  /** One was handed out. */
  met(): void;
  /** How many to take now. */
  next(): number;
}

/** Doubles while more than one a second is handed out, up to `most`; one by one again when it is less. */
export function createDemand(most: number, nowMs: () => number = () => performance.now()): Demand {
  let count = 0;
  let handedOut = 0;
  let takenAtMs = -Infinity;
  return {
    met: () => void (handedOut += 1),
    next: () => {
      const now = nowMs();
      count = handedOut * 1_000 > now - takenAtMs ? Math.min(2 * count, most) : 1;
      [handedOut, takenAtMs] = [0, now];
      return count;
    },
  };
}
