// A merchant's event log as a stream: what is in the table after a sequence number, then what is added, without a seam.
// A reader that falls behind loses nothing and keeps nothing in memory: it reads from the table again until it has
// caught up. So no queue of it can overflow.

import type { LogEntry, LogPage } from '../../domain/events/event-log.ts';

/** Entries that wait in memory for one reader; beyond them they read from the table. */
const MOST_KEPT = 100;

/** Entries of the table that are handed out before anything else of the process has its turn. */
const AT_ONCE = 16;

export interface LogReaderParts {
  /** Reads a page of the log after a sequence number. */
  read(after: number): Promise<LogPage>;
  /** Waits until one more entry of the table may be handed out; the signal is that the reader has gone. */
  readonly letPass?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Called once. */
  onEnd(): void;
}

export interface LogReader extends AsyncIterableIterator<LogEntry> {
  /** Says after which sequence number to begin; to be called once, before the first `next`. */
  start(after: number): void;
  /** Tells of an event that was numbered. Every one from before `start` on must be told, in order. */
  add(entry: LogEntry): void;
  return(): Promise<IteratorResult<LogEntry, undefined>>;
}

const DONE = { done: true, value: undefined } as const;

/** Makes a reader. */
export function createLogReader({ read, letPass, onEnd }: LogReaderParts): LogReader {
  let kept: LogEntry[] = [];
  /** The last that was kept, the last that was told of, and whether the table has more than was read of it. */
  let last = 0;
  let newest = 0;
  let hasMore = true;
  /** The last that was read of the table, and how many of those were handed out. */
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
    const told = newest;
    // Until it is read, nothing that is added is kept: it would come before what is read.
    hasMore = true;
    const page = await read(last);
    if (ended) return;
    kept.push(...page.items);
    last = page.items.at(-1)?.sequence ?? last;
    readTo = last;
    hasMore = page.hasMore;
    // What was told of before this read and is not there any more was kept for as long as it was promised.
    if (!hasMore) last = Math.max(last, told);
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
