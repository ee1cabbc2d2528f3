// Memory that all callers share, such as that of unread answers. Nobody has a fixed part: a caller alone may use all of
// it, and once it is used up the caller with the most makes way.

import type { Caller } from '../../access/caller.ts';
import { addressBucket } from '../../values/internet/address-bucket.ts';

/** The party that shares with others: a merchant with all its keys, or an address. */
export function sharerOf(caller: Pick<Caller, 'merchantId'> | null | undefined, ip: string): string {
  return caller?.merchantId ?? addressBucket(ip);
}

/** The memory of one caller at one place, usually a connection. */
export interface Holding {
  /** Takes more. False if the holding was given up, now or before: then store nothing. */
  grow(size: number): boolean;
  /** Gives back so much. */
  shrink(size: number): void;
  /** Gives back what is left; once or more. */
  release(): void;
}

export interface SharedMemory {
  /**
   * Begins an empty holding. `callerOf` is asked for its owner once it exceeds the free part; `giveUp` is called, once,
   * if it has to make way.
   */
  hold(callerOf: () => string, giveUp: () => void): Holding;
  /** What is taken; for metrics. */
  taken(): number;
  /** How many had to make way; for metrics. */
  givenUp(): number;
}

interface SharedMemoryOptions {
  /** Of all holdings together. */
  readonly most: number;
  /** This much of each holding is free: it is always granted, and never a reason to make way. */
  readonly free?: number;
}

/** The holdings of a caller that exceed what is free, oldest first, and by how much together. */
interface Share {
  readonly caller: string;
  readonly holdings: Set<Held>;
  over: number;
}

interface Held {
  size: number;
  isOver: boolean;
  share: Share | null;
  readonly callerOf: () => string;
  readonly giveUp: () => void;
}

/** Makes a shared memory. */
export function createSharedMemory({ most, free = 0 }: SharedMemoryOptions): SharedMemory {
  const shares = new Map<string, Share>();
  let taken = 0;
  let givenUp = 0;

  function shareOf(held: Held): Share {
    const caller = held.callerOf();
    const share = shares.get(caller) ?? { caller, holdings: new Set(), over: 0 };
    shares.set(caller, share);
    share.holdings.add(held);
    return share;
  }

  function change(held: Held, by: number): void {
    const [before, after] = [Math.max(0, held.size - free), Math.max(0, held.size + by - free)];
    held.size += by;
    taken += by;
    if (before === after) return;
    const share = (held.share ??= shareOf(held));
    share.over += after - before;
    if (after > 0) return;
    held.share = null;
    share.holdings.delete(held);
    if (share.holdings.size === 0) shares.delete(share.caller);
  }

  function release(held: Held): void {
    held.isOver = true;
    change(held, -held.size);
  }

  /** The oldest holding of the caller who has most. */
  function next(): Held | undefined {
    let greatest: Share | undefined;
    for (const share of shares.values()) if (!greatest || share.over > greatest.over) greatest = share;
    return greatest?.holdings.values().next().value;
  }

  function makeRoom(): void {
    for (let held = next(); held && taken > most; held = next()) {
      release(held);
      givenUp += 1;
      held.giveUp();
    }
  }

  return {
    taken: () => taken,
    givenUp: () => givenUp,
    hold(callerOf, giveUp) {
      const held: Held = { size: 0, isOver: false, share: null, callerOf, giveUp };
      return {
        grow(size) {
          if (held.isOver) return false;
          change(held, size);
          if (taken > most && held.size > free) makeRoom();
          return !held.isOver;
        },
        shrink: (size) => void (held.isOver || change(held, -size)),
        release: () => release(held),
      };
    },
  };
}
