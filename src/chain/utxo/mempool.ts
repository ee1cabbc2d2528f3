// Payments that are not mined yet. A pool holds some hundred thousand transactions and changes by a few each second:
// only its list of ids is read again, and of the transactions only those that are new.

import type { BlockRef, Mempool, Signed, Transfer } from '../blocks.ts';
import type { Source } from './source.ts';
import type { RawTransaction } from './transaction.ts';
import { signedOf, transfersOf } from './transfers.ts';

interface MempoolDeps {
  readonly source: Source;
  readonly currency: string;
  /** Parses bytes that must have this id. */
  readonly parse: (bytes: Buffer, txHash: string) => RawTransaction;
}

/** Asked for at once: some 100 KB of bytes. */
const CHUNK = 200;
/** New ones are told in each answer for so long, so that a round of the watcher that came to nothing loses none. */
const FRESH_MS = 60_000;
/** Of the others so many are read and told again in each answer, one slice after the other. */
const SLICE = 50;
/** The list is read again after a time that grows with it (some 80 bytes each), unless a block came meanwhile. */
const MS_PER_1000 = 20;

/** What is kept of a transaction for its first minute. */
interface Content {
  readonly transfers: readonly Transfer[];
  readonly signed: Signed | null;
}

export interface MempoolReader {
  read(): Promise<Mempool>;
  /** A block was read, or left the chain: the list is read anew, whatever its age. */
  changed(tip: BlockRef): void;
}

/**
 * Creates the reader. Kept are the ids, and the transfers of the last minute. An answer leaves out what it told long
 * ago: who waits for such a transaction asks for its state.
 */
export function createMempoolReader({ source, currency, parse }: MempoolDeps): MempoolReader {
  let known = new Map<string, { at: number; content: Content | null }>();
  let readAt = -Infinity;
  let tip = '';
  let slice: string[] = [];

  async function readContents(txHashes: readonly string[]): Promise<Map<string, Content>> {
    const found = new Map<string, Content>();
    for (let start = 0; start < txHashes.length; start += CHUNK) {
      for (const [hash, bytes] of await source.transactions(txHashes.slice(start, start + CHUNK)))
        found.set(hash, contentOf(parse(bytes, hash)));
    }
    return found;
  }

  const contentOf = (transaction: RawTransaction): Content => ({
    transfers: transfersOf(transaction, currency),
    signed: signedOf(transaction),
  });

  async function refresh(now: number): Promise<void> {
    const ids = await source.mempool();
    const added = await readContents(ids.filter((id) => !known.has(id)));
    const next: typeof known = new Map();
    for (const id of ids) {
      const content = added.get(id);
      // One that left the pool between the two questions is asked for again, should it still be there next time.
      const entry = content ? { at: now, content } : known.get(id);
      if (entry) next.set(id, now - entry.at > FRESH_MS ? { ...entry, content: null } : entry);
    }
    known = next;
    readAt = now;
  }

  /** Old ones again, for a watcher that missed them: another process, or one whose database was away. */
  async function readSlice(): Promise<Content[]> {
    if (slice.length === 0) slice = [...known].filter(([, { content }]) => content === null).map(([id]) => id);
    const ids = slice.splice(0, SLICE).filter((id) => known.has(id));
    return ids.length === 0 ? [] : [...(await readContents(ids)).values()];
  }

  return {
    changed: ({ hash }) => {
      if (hash !== tip) readAt = -Infinity;
      tip = hash;
    },
    async read() {
      const now = performance.now();
      if (now - readAt >= (known.size / 1_000) * MS_PER_1000) await refresh(now);
      const fresh = [...known.values()].flatMap(({ content }) => content ?? []);
      const told = [...fresh, ...(await readSlice())];
      const signed = told.flatMap((content) => content.signed ?? []);
      return { transfers: told.flatMap(({ transfers }) => transfers), signed };
    },
  };
}
