// Documents that were read before, by their texts, as much of them as fits: callers choose how many different ones they
// send and how long each is, and a document that was read is a hundred times as large as its text.

import type { DocumentNode } from 'graphql';

/** Bytes of the documents of one memory, about. */
const MOST_BYTES = 8 * 1_024 * 1_024;
/** What one document may take of them, so that a few large ones do not drive out all others. */
const MOST_OF_ONE = 1 / 16;
/** Bytes that a token takes once it is read: its own, its part of the tree, and of what is made of that. */
const BYTES_OF_A_TOKEN = 500;

export interface KeptDocuments<Value> {
  get(key: string): Value | undefined;
  /** Keeps a value that holds a document, unless it is too large; what was not asked for longest goes first. */
  keep(key: string, document: DocumentNode, value: Value): void;
  delete(key: string): boolean;
  /** About how many bytes are kept. */
  bytes(): number;
}

/** Makes a memory of documents. */
export function createKeptDocuments<Value>(mostBytes = MOST_BYTES): KeptDocuments<Value> {
  const kept = new Map<string, { readonly value: Value; readonly bytes: number }>();
  let total = 0;

  function drop(key: string): boolean {
    total -= kept.get(key)?.bytes ?? 0;
    return kept.delete(key);
  }

  return {
    get(key) {
      const found = kept.get(key);
      if (!found) return undefined;
      kept.delete(key);
      kept.set(key, found);
      return found.value;
    },
    delete: drop,
    bytes: () => total,
    keep(key, document, value) {
      drop(key);
      const bytes = bytesOf(key, document);
      if (bytes > mostBytes * MOST_OF_ONE) return;
      for (const oldest of kept.keys()) {
        if (total + bytes <= mostBytes) break;
        drop(oldest);
      }
      kept.set(key, { value, bytes });
      total += bytes;
    },
  };
}

/** The text is there twice at most, as the key and as the source of errors' places, with two bytes for a character. */
function bytesOf(key: string, { tokenCount = 0, loc }: DocumentNode): number {
  const characters = key.length + (loc?.source.body.length ?? 0);
  return 2 * characters + BYTES_OF_A_TOKEN * tokenCount;
}
