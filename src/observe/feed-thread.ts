// Reads the answers of feeds. A large one is read on a thread of its own: 2 MiB would stop the calls of this process
// for a tenth of a second.

import { Worker } from 'node:worker_threads';
import { FEED_KIND_NAMES, FEED_KINDS, readFeed, type FeedKind, type FeedKindName } from '../values/feeds/feeds.ts';
import type { Tick } from '../values/feeds/tick.ts';

/** What the thread is given. */
export interface FeedAnswer {
  readonly kind: FeedKindName;
  readonly body: Uint8Array;
  readonly arrivedAt: Date;
}

/** What it says: ticks, or why there are none. */
export type ReadAnswer = { readonly ticks: Tick[] } | { readonly problem: string };

export interface FeedReader {
  /** Reads an answer as `readFeed` does. It also rejects if the thread fails, runs out of memory, or takes too long. */
  read(kind: FeedKind, body: Buffer, arrivedAt: Date): Promise<Tick[]>;
  /** Ends what is being read, which rejects. */
  close(): Promise<void>;
}

interface FeedReaderOptions {
  /** How long a thread may take, from its start. */
  readonly deadlineMs: number;
  /** What the thread runs. */
  readonly module: URL;
}

/** Longer bodies get a thread. A shorter one is read in a few milliseconds, which a thread takes to start. */
export const LONGEST_READ_HERE = 64 * 1024;

/** With the time that the question took, it is less than a poller holds its feed. */
const DEADLINE_MS = 5_000;
const MODULE = new URL('./feed-worker.js', import.meta.url);
/** Several times what the worst body of 2 MiB needs, which is a list of a million digits. */
const LIMITS = { maxOldGenerationSizeMb: 512 } as const;

/** Creates a reader. Each large answer has its own thread, so that a hostile one delays and harms no other. */
export function createFeedReader(options: Partial<FeedReaderOptions> = {}): FeedReader {
  const { deadlineMs = DEADLINE_MS, module = MODULE } = options;
  const threads = new Set<Worker>();

  async function readOnThread({ body, ...answer }: FeedAnswer): Promise<Tick[]> {
    // A copy of its own, which moves to the thread.
    const moved = new Uint8Array(body);
    const workerData: FeedAnswer = { ...answer, body: moved };
    const thread = new Worker(module, { workerData, transferList: [moved.buffer], resourceLimits: LIMITS });
    threads.add(thread);
    try {
      return await answerOf(thread, deadlineMs);
    } finally {
      threads.delete(thread);
      await thread.terminate();
    }
  }

  return {
    async read(kind, body, arrivedAt) {
      const name = FEED_KIND_NAMES.find((each) => FEED_KINDS[each] === kind);
      if (body.length <= LONGEST_READ_HERE || name === undefined)
        return readFeed(kind, body.toString('utf8'), arrivedAt);
      return readOnThread({ kind: name, body, arrivedAt });
    },
    close: async () => void (await Promise.all([...threads].map((thread) => thread.terminate()))),
  };
}

/** The ticks that a thread sends; rejects with what it says instead, or if it sends nothing in time. */
function answerOf(thread: Worker, deadlineMs: number): Promise<Tick[]> {
  let timer: NodeJS.Timeout | undefined;
  const answer = new Promise<Tick[]>((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it is not read within ${String(deadlineMs)} ms`)), deadlineMs);
    thread.once('message', (said: ReadAnswer) => {
      if ('ticks' in said) resolve(said.ticks);
      else reject(new Error(said.problem));
    });
    thread.once('error', (error) => reject(error instanceof Error ? error : new Error(String(error))));
    thread.once('exit', () => reject(new Error('the thread that read it ended')));
  });
  return answer.finally(() => clearTimeout(timer));
}
