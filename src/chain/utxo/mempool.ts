// Payments that are not mined yet. A pool holds some hundred thousand transactions and changes by a few each second: only
// its list of ids is read again, and of the transactions only those that are new.

import type { BlockRef, Transfer } from '../adapter.ts';
import type { Source } from './source.ts';
import type { RawTransaction } from './transaction.ts';
import { transfersOf } from './transfers.ts';

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

export interface Mempool {
  read(): Promise<readonly Transfer[]>;
  /** A block was read, or left the chain: the list is read anew, whatever its age. */
  changed(tip: BlockRef): void;
}

/**
 * Creates the reader. Kept are the ids, and the transfers of the last minute. An answer leaves out what it told long ago:
 * whoever waits for such a transaction asks for its state.
 */
export function createMempoolReader({ source, currency, parse }: MempoolDeps): Mempool {
  let known = new Map<string, { at: number; transfers: readonly Transfer[] | null }>();
  let readAt = -Infinity;
  let tip = '';
  let slice: string[] = [];

  async function readTransfers(txHashes: readonly string[]): Promise<Map<string, readonly Transfer[]>> {
    const found = new Map<string, readonly Transfer[]>();
    for (let start = 0; start < txHashes.length; start += CHUNK) {
      for (const [hash, bytes] of await source.transactions(txHashes.slice(start, start + CHUNK)))
        found.set(hash, transfersOf(parse(bytes, hash), currency));
    }
    return found;
  }

  async function refresh(now: number): Promise<void> {
    const ids = await source.mempool();
    const added = await readTransfers(ids.filter((id) => !known.has(id)));
    const next: typeof known = new Map();
    for (const id of ids) {
      const transfers = added.get(id);
      // One that left the pool between the two questions is asked for again, should it still be there next time.
      const entry = transfers ? { at: now, transfers } : known.get(id);
      if (entry) next.set(id, now - entry.at > FRESH_MS ? { ...entry, transfers: null } : entry);
    }
    known = next;
    readAt = now;
  }

  /** Old ones again, for a watcher that missed them: another process, or one whose database was away. */
  async function readSlice(): Promise<Transfer[]> {
    if (slice.length === 0) slice = [...known].filter(([, { transfers }]) => transfers === null).map(([id]) => id);
    const ids = slice.splice(0, SLICE).filter((id) => known.has(id));
    return ids.length === 0 ? [] : [...(await readTransfers(ids)).values()].flat();
  }

  return {
    changed: ({ hash }) => {
      if (hash !== tip) readAt = -Infinity;
      tip = hash;
    },
    async read() {
      const now = performance.now();
      if (now - readAt >= (known.size / 1_000) * MS_PER_1000) await refresh(now);
      const fresh = [...known.values()].flatMap(({ transfers }) => transfers ?? []);
      return [...fresh, ...(await readSlice())];
    },
  };
}
