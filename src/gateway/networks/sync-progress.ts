// How quickly a network is read, and how long it takes until it is read to its tip: from one look at it to another.

/** What a look shows. */
export interface SyncSample {
  readonly tipHeight: number;
  readonly cursorHeight: number;
  /** Monotonic. */
  readonly readAtMs: number;
}

export interface SyncProgress {
  readonly blocksPerSecond: number;
  /** Until there is nothing left to read, the blocks that come meanwhile among it; null while it comes no nearer. */
  readonly secondsLeft: number | null;
}

/** The pace is that of the last minute, or since the look before where nobody looks as often. */
const OVER_MS = 60_000;

/** Makes the reckoner of one network; hand it each look. Null at the first one. */
export function createSyncProgress(): (look: SyncSample) => SyncProgress | null {
  let looks: SyncSample[] = [];
  return (look) => {
    const isRecent = ({ readAtMs }: SyncSample) => look.readAtMs - readAtMs <= OVER_MS;
    const before = looks.at(-1);
    const recent = looks.filter(isRecent);
    looks = [...(recent.length > 0 ? recent : before ? [before] : []), look];
    const [oldest] = looks;
    const seconds = oldest ? (look.readAtMs - oldest.readAtMs) / 1_000 : 0;
    if (!oldest || seconds <= 0) return null;
    const lag = lagOf(look);
    const nearerPerSecond = (lagOf(oldest) - lag) / seconds;
    return {
      // A reorganisation takes it back.
      blocksPerSecond: Math.max(0, look.cursorHeight - oldest.cursorHeight) / seconds,
      secondsLeft: lag === 0 ? 0 : nearerPerSecond > 0 ? lag / nearerPerSecond : null,
    };
  };
}

export function lagOf({ tipHeight, cursorHeight }: SyncSample): number {
  return Math.max(0, tipHeight - cursorHeight);
}
