// The interface of an invariant: a rule that must hold at the end of a run, whatever was killed.

import type { Evidence } from './evidence.ts';

/** A rule: in words, and the first breach of it in words with its ids; null where it holds. */
export interface Rule {
  readonly words: string;
  readonly breach: (evidence: Evidence) => string | null;
}

/** The first answer other than null. */
export function first<Item>(items: Iterable<Item>, look: (item: Item) => string | null): string | null {
  for (const item of items) {
    const found = look(item);
    if (found !== null) return found;
  }
  return null;
}
