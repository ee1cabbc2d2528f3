// Streams a merchant's event log: stored entries after a sequence number first, then new ones, without a gap. A slow
// reader loses nothing and uses no memory: it reads from the table again until it has caught up, so no queue can
// overflow.

import type { LogEntry, LogPage } from '../../domain/events/event-log.ts';

/** Entries buffered in memory for one reader; beyond this it reads from the table. */
const MOST_KEPT = 100;

/** Entries from the table handed out before yielding to the event loop. */
const AT_ONCE = 16;

export interface LogReaderParts {
  /** Reads a page of the log after a sequence number. */
  read(after: number): Promise<LogPage>;
  /** Waits until one more entry from the table may be handed out; the signal fires when the reader has gone. */
  readonly letPass?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Called once. */
  onEnd(): void;
}

export interface LogReader extends AsyncIterableIterator<LogEntry> {
  /** Sets the sequence number to begin after; call once, before the first `next`. */
  start(after: number): void;
  /** Adds a newly numbered event. Every event numbered since before `start` must be added, in order. */
  add(entry: LogEntry): void;
  return(): Promise<IteratorResult<LogEntry, undefined>>;
}

const DONE = { done: true, value: undefined } as const;

export function createLogReader({ read, letPass, onEnd }: LogReaderParts): LogReader {
  let kept: LogEntry[] = [];
  /**
   * `last`: the last entry buffered. `newest`: the last entry added. `hasMore`: whether the table has unread entries.
   */
  let last = 0;
  let newest = 0;
  let hasMore = true;
  /** The last entry read from the table, and how many of those were handed out. */
  let readTo = 0;
  let handedOut = 0;
  let ended = false;
  const gone = new AbortController();
  let wake: () => void = () => undefined;
  let turn: Promise<unknown> = Promise.resolve();

  function end(): void {
    if (ended) return;
    ended = true;
    gone.abort();
    kept = [];
    wake();
    onEnd();
  }

  async function catchUp(): Promise<void> {
    const addedBefore = newest;
    // Nothing added is buffered until the read is done: it would come before what is read.
    hasMore = true;
    const page = await read(last);
    if (ended) return;
    kept.push(...page.items);
    last = page.items.at(-1)?.sequence ?? last;
    readTo = last;
    hasMore = page.hasMore;
    // Entries added before this read and missing from it have passed their retention.
    if (!hasMore) last = Math.max(last, addedBefore);
  }

  async function pass(): Promise<void> {
    handedOut += 1;
    if (handedOut % AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    try {
      if (!ended) await letPass?.(gone.signal);
    } catch (error) {
      if (!ended) throw error;
    }
  }

  async function take(): Promise<IteratorResult<LogEntry, undefined>> {
    for (;;) {
      if (ended) return DONE;
      const entry = kept.shift();
      if (entry && entry.sequence <= readTo) await pass();
      if (ended) return DONE;
      if (entry) return { done: false, value: entry };
      if (hasMore || newest > last) await catchUp();
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  const reader: LogReader = {
    start: (after) => void (last = after),
    add(entry) {
      if (entry.sequence <= newest) return;
      newest = entry.sequence;
      if (!hasMore && entry.sequence === last + 1 && kept.length < MOST_KEPT) {
        kept.push(entry);
        last = entry.sequence;
      }
      wake();
    },
    next() {
      const taken = turn.then(take);
      turn = taken.catch(() => undefined);
      return taken;
    },
    return() {
      end();
      return Promise.resolve(DONE);
    },
    throw(error) {
      end();
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    },
    [Symbol.asyncIterator]: () => reader,
  };
  return reader;
}
