// Repeatable random numbers: every decision of a run follows from its seed.

import { randomBytes } from 'node:crypto';

export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number;
  /** True with this probability. */
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** Picks an item with a probability proportional to its weight. */
  weighted<Item extends { readonly weight: number }>(items: readonly Item[]): Item;
}

/** Creates random numbers from a seed: a 32-bit counter whose bits are mixed by two odd multiplications. */
export function createRandom(seed: number): Random {
  let counter = seed >>> 0;
  const next = () => {
    counter = (counter + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(counter ^ (counter >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick: (items) => present(items[below(items.length)]),
    weighted: (items) => {
      let rest = next() * items.reduce((sum, item) => sum + item.weight, 0);
      return present(items.find((item) => (rest -= item.weight) < 0) ?? items.at(-1));
    },
  };
}

/** A seed for a run that was started without one. */
export function freshSeed(): number {
  return randomBytes(4).readUInt32BE();
}

function present<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('There is nothing to choose from');
  return item;
}
