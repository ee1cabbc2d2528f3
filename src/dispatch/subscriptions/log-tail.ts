// Tails a log: remembers the place read so far and reads on from there while there are subscribers. Without subscribers
// it forgets the place, so that nothing of the past is read again.

/** One read: where it ends, how to publish it, and whether there may be more right away. */
export interface Reading<Place> {
  readonly to: Place;
  publish(): void;
  readonly more: boolean;
}

interface LogTailParts<Place> {
  /** Whether there are subscribers. */
  isWanted(): boolean;
  /** Reads the current end of the log, where tailing begins. */
  begin(): Promise<Place>;
  /** Reads on from a place. */
  readFrom(place: Place): Promise<Reading<Place>>;
}

export type LogTail = ReturnType<typeof createLogTail>;

/** Creates a tail. A `Place` is never null. */
export function createLogTail<Place extends NonNullable<unknown>>({ isWanted, begin, readFrom }: LogTailParts<Place>) {
  let place: Place | null = null;
  let anchoring: Promise<void> | null = null;
  // Detects a read that spans a time without subscribers: its place was forgotten meanwhile.
  let generation = 0;

  async function readAnchor(): Promise<void> {
    const readGeneration = generation;
    const read = await begin();
    if (generation === readGeneration) place ??= read;
  }

  async function anchor(): Promise<void> {
    while (place === null && isWanted()) {
      anchoring ??= readAnchor().finally(() => (anchoring = null));
      await anchoring;
    }
  }

  return {
    /** Resolves once there is a place: everything written after that is read. */
    anchor,
    /** Call when a subscriber has left. */
    subscriberLeft(): void {
      if (isWanted()) return;
      place = null;
      generation += 1;
    },
    /** Reads and publishes once; returns whether there may be more right away. */
    async read(): Promise<boolean> {
      await anchor();
      const readGeneration = generation;
      if (place === null) return false;
      const { to, publish, more } = await readFrom(place);
      if (generation !== readGeneration) return false;
      place = to;
      publish();
      return more;
    },
  };
}
