// The interface of an invariant: a rule that must hold at the end of a run, whatever was killed.

import type { Evidence } from './evidence.ts';

/** A rule in words, and its first breach in words with the ids; null if it holds. */
export interface Rule {
  readonly words: string;
  readonly breach: (evidence: Evidence) => string | null;
}

/** The first result of `look` that is not null. */
export function first<Item>(items: Iterable<Item>, look: (item: Item) => string | null): string | null {
  for (const item of items) {
    const found = look(item);
    if (found !== null) return found;
  }
  return null;
}
