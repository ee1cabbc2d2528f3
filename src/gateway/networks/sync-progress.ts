// Measures how fast a network is read, and estimates how long it takes to reach the tip. Pure.

/** The state of a network at one moment. */
export interface SyncSample {
  readonly tipHeight: number;
  readonly cursorHeight: number;
  /** Monotonic. */
  readonly readAtMs: number;
}

export interface SyncProgress {
  readonly blocksPerSecond: number;
  /** Until the tip is reached, including blocks mined meanwhile; null while the lag does not shrink. */
  readonly secondsLeft: number | null;
}

/** Speed is measured over the last minute, or since the previous sample if samples are rarer. */
const OVER_MS = 60_000;

/** Creates the estimator of one network; call it with each sample. Null at the first one. */
export function createSyncProgress(): (sample: SyncSample) => SyncProgress | null {
  let samples: SyncSample[] = [];
  return (sample) => {
    const isRecent = ({ readAtMs }: SyncSample) => sample.readAtMs - readAtMs <= OVER_MS;
    const before = samples.at(-1);
    const recent = samples.filter(isRecent);
    samples = [...(recent.length > 0 ? recent : before ? [before] : []), sample];
    const [oldest] = samples;
    const seconds = oldest ? (sample.readAtMs - oldest.readAtMs) / 1_000 : 0;
    if (!oldest || seconds <= 0) return null;
    const lag = lagOf(sample);
    const nearerPerSecond = (lagOf(oldest) - lag) / seconds;
    return {
      // A reorganisation moves the cursor back.
      blocksPerSecond: Math.max(0, sample.cursorHeight - oldest.cursorHeight) / seconds,
      secondsLeft: lag === 0 ? 0 : nearerPerSecond > 0 ? lag / nearerPerSecond : null,
    };
  };
}

export function lagOf({ tipHeight, cursorHeight }: SyncSample): number {
  return Math.max(0, tipHeight - cursorHeight);
}
