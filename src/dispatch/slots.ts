// Slots for posts in flight: so many in all, and so many in one lane, so that a slow receiver cannot take them all.

export interface Slots {
  /** How many more posts may start, whatever their lanes. */
  free(): number;
  /** Posts in flight by lane; a live view. */
  readonly lanes: ReadonlyMap<string, number>;
  take(lane: string): void;
  /** Gives a slot back; says whether its lane, or all of it, was full until now, so that something may have waited. */
  giveBack(lane: string): boolean;
}

/** Makes slots, all free. */
export function createSlots(total: number, perLane: number): Slots {
  const lanes = new Map<string, number>();
  let taken = 0;
  return {
    free: () => total - taken,
    lanes,
    take(lane) {
      taken += 1;
      lanes.set(lane, (lanes.get(lane) ?? 0) + 1);
    },
    giveBack(lane) {
      const inLane = lanes.get(lane) ?? 0;
      const wasFull = taken >= total || inLane >= perLane;
      taken -= 1;
      if (inLane > 1) lanes.set(lane, inLane - 1);
      else lanes.delete(lane);
      return wasFull;
    },
  };
}
