// Reads waiting transactions of UTXO chains. A mempool holds some hundred thousand transactions, of which a few change
// per second, so only the list of ids and the new transactions are read.

import type { BlockRef, Mempool, Signed, Transfer } from '../blocks.ts';
import type { Source } from './source.ts';
import type { RawTransaction } from './transaction.ts';
import { signedOf, transfersOf } from './transfers.ts';

interface MempoolDeps {
  readonly source: Source;
  readonly currency: string;
  /** Parses a transaction, which must have this id. */
  readonly parse: (bytes: Buffer, txHash: string) => RawTransaction;
}

/** Transactions requested at once, some 100 KB. */
const CHUNK = 200;
/** How long new transactions are repeated in each result, so that a failed round of the watcher misses none. */
const FRESH_MS = 60_000;
/** How many older transactions are read again for each result, slice by slice. */
const SLICE = 50;
/** The larger the list (some 80 bytes per id), the less often it is read, unless a block arrived. */
const MS_PER_1000_IDS = 20;

/** What is cached of a transaction during its first minute. */
interface Content {
  readonly transfers: readonly Transfer[];
  readonly signed: Signed | null;
}

export interface MempoolReader {
  read(): Promise<Mempool>;
  /** Called when the tip changed: the list is then read again whatever its age. */
  changed(tip: BlockRef): void;
}

/**
 * Caches all ids, but the transfers of the last minute only. Older transactions are missing from most results; use
 * `txState` to check on one of them.
 */
export function createMempoolReader({ source, currency, parse }: MempoolDeps): MempoolReader {
  let entries = new Map<string, { at: number; content: Content | null }>();
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
    const added = await readContents(ids.filter((id) => !entries.has(id)));
    const next: typeof entries = new Map();
    for (const id of ids) {
      const content = added.get(id);
      // One that left the mempool between the two requests is requested again if it is still listed next time.
      const entry = content ? { at: now, content } : entries.get(id);
      if (entry) next.set(id, now - entry.at > FRESH_MS ? { ...entry, content: null } : entry);
    }
    entries = next;
    readAt = now;
  }

  /** Repeats older transactions for a watcher that missed them: in another process, or while its database was down. */
  async function readSlice(): Promise<Content[]> {
    if (slice.length === 0) slice = [...entries].filter(([, { content }]) => content === null).map(([id]) => id);
    const ids = slice.splice(0, SLICE).filter((id) => entries.has(id));
    return ids.length === 0 ? [] : [...(await readContents(ids)).values()];
  }

  return {
    changed: ({ hash }) => {
      if (hash !== tip) readAt = -Infinity;
      tip = hash;
    },
    async read() {
      const now = performance.now();
      if (now - readAt >= (entries.size / 1_000) * MS_PER_1000_IDS) await refresh(now);
      const fresh = [...entries.values()].flatMap(({ content }) => content ?? []);
      const contents = [...fresh, ...(await readSlice())];
      const signed = contents.flatMap((content) => content.signed ?? []);
      return { transfers: contents.flatMap(({ transfers }) => transfers), signed };
    },
  };
}
