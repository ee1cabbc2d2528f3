// The thread that reads one answer for feed-thread.ts, and ends.

import { parentPort, workerData } from 'node:worker_threads';
import { FEED_KINDS, readFeed } from '../values/feeds/feeds.ts';
import type { FeedAnswer, ReadAnswer } from './feed-thread.ts';

parentPort?.postMessage(read(workerData as FeedAnswer));

function read({ kind, body, arrivedAt }: FeedAnswer): ReadAnswer {
  try {
    return { ticks: readFeed(FEED_KINDS[kind], Buffer.from(body).toString('utf8'), arrivedAt) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
