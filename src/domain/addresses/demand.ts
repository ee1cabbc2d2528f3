// How many addresses a process takes at a time: one, unless they are used faster than one a second. A restored copy of
// the database may not know of addresses taken ahead, and the rule that keeps its addresses apart from those of the
// lost copy assumes that indexes grow no faster than the clock.

export interface Demand {
  /** An address was handed out. */
  met(): void;
  /** How many to take now. */
  next(): number;
}

/** Doubles, up to `most`, while more than one a second is handed out; otherwise falls back to one. */
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
