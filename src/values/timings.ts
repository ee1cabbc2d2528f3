// How long things of one kind took, counted in buckets: cheap enough for every call. /metrics shows it as a histogram.

/** Upper bounds of the buckets, in seconds. */
export const TIMING_BOUNDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5] as const;

export interface Timings {
  /** How many took at most as long as each bound and longer than the one below; the last those above all. */
  readonly byTime: readonly number[];
  /** Of all together. */
  seconds: number;
  /** Counts one. */
  add(seconds: number): void;
}

/** Makes an empty count. */
export function createTimings(): Timings {
  const byTime = [...TIMING_BOUNDS.map(() => 0), 0];
  return {
    byTime,
    seconds: 0,
    add(seconds) {
      let place = 0;
      while (seconds > (TIMING_BOUNDS[place] ?? Infinity)) place += 1;
      byTime[place] = (byTime[place] ?? 0) + 1;
      this.seconds += seconds;
    },
  };
}
