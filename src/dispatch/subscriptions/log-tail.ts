// A place up to which something was read, that moves on while anyone listens. There is none while nobody does, so that
// no past is read again.

/** One piece of reading: where it ends, how its readers are told, and whether there may be more at once. */
export interface Reading<Place> {
  readonly to: Place;
  publish(): void;
  readonly more: boolean;
}

interface TailParts<Place> {
  /** Whether anyone listens. */
  isWanted(): boolean;
  /** The place to begin at: now. */
  begin(): Promise<Place>;
  /** Reads on from a place. */
  readFrom(place: Place): Promise<Reading<Place>>;
}

export type Tail = ReturnType<typeof createTail>;

/** Makes a tail. A `Place` is never null. */
export function createTail<Place extends NonNullable<unknown>>({ isWanted, begin, readFrom }: TailParts<Place>) {
  let place: Place | null = null;
  let anchoring: Promise<void> | null = null;
  // Tells a reader that came back to another place than the one it left, because everyone had gone in between.
  let turn = 0;

  async function readAnchor(): Promise<void> {
    const readTurn = turn;
    const read = await begin();
    if (turn === readTurn) place ??= read;
  }

  async function anchor(): Promise<void> {
    while (place === null && isWanted()) {
      anchoring ??= readAnchor().finally(() => (anchoring = null));
      await anchoring;
    }
  }

  return {
    /** Resolves when there is a place: what is written after that is read. */
    anchor,
    /** To be called when a listener has gone. */
    rest(): void {
      if (isWanted()) return;
      place = null;
      turn += 1;
    },
    /** Reads a piece and publishes it; says whether there may be more at once. */
    async read(): Promise<boolean> {
      await anchor();
      const readTurn = turn;
      if (place === null) return false;
      const { to, publish, more } = await readFrom(place);
      if (turn !== readTurn) return false;
      place = to;
      publish();
      return more;
    },
  };
}
