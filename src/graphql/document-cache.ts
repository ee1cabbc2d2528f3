// The one cache of validated documents, for every transport. It is bounded by memory: callers choose how many different
// documents they send and how long each is, and a parsed document is a hundred times as large as its text.

import { hash } from 'node:crypto';
import type { DocumentNode } from 'graphql';

/** Approximate bytes of all documents together. */
const MOST_BYTES = 8 * 1_024 * 1_024;
/** The largest share of one document. */
const MOST_OF_ONE = 1 / 16;
/** Bytes per token once parsed: the token, its part of the tree, and what is compiled from that. */
const BYTES_OF_A_TOKEN = 500;
/** A document counts as used at most so often; it survives the logarithm of that in rounds of eviction. */
const MOST_USES = 15;

export interface DocumentCache {
  get(key: string): DocumentNode | undefined;
  /** Keeps a validated document, unless it is too large. */
  keep(key: string, document: DocumentNode): void;
  delete(key: string): boolean;
  /** Approximate bytes in use. */
  bytes(): number;
}

interface Entry {
  readonly document: DocumentNode;
  readonly bytes: number;
  /** Uses since the eviction last came past, halved each time it does. */
  uses: number;
}

/** The key of a document's text: its SHA-256 in hex, as Apollo Server and persisted queries have it. */
export const documentKey = (text: string): string => hash('sha256', text);

/**
 * Makes the cache. Eviction goes round the entries, oldest first: one that was used since is kept for another round, at
 * half its uses; one that was not is dropped. So a flood of documents that are sent once evicts only its own.
 */
export function createDocumentCache(mostBytes = MOST_BYTES): DocumentCache {
  const entries = new Map<string, Entry>();
  let total = 0;

  function drop(key: string): boolean {
    total -= entries.get(key)?.bytes ?? 0;
    return entries.delete(key);
  }

  function makeRoomFor(bytes: number): void {
    // A map is iterated in the order of insertion, and what is inserted meanwhile comes last.
    for (const [key, entry] of entries) {
      if (total + bytes <= mostBytes) return;
      if (entry.uses === 0) drop(key);
      else {
        entry.uses >>= 1;
        entries.delete(key);
        entries.set(key, entry);
      }
    }
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry && entry.uses < MOST_USES) entry.uses += 1;
      return entry?.document;
    },
    delete: drop,
    bytes: () => total,
    keep(key, document) {
      drop(key);
      const bytes = bytesOf(key, document);
      if (bytes > mostBytes * MOST_OF_ONE) return;
      makeRoomFor(bytes);
      entries.set(key, { document, bytes, uses: 0 });
      total += bytes;
    },
  };
}

/** The text is kept as the source of error locations, at two bytes a character. */
function bytesOf(key: string, { tokenCount = 0, loc }: DocumentNode): number {
  const characters = key.length + (loc?.source.body.length ?? 0);
  return 2 * characters + BYTES_OF_A_TOKEN * tokenCount;
}
