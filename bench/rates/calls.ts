// Calls to a process that also polls a feed: each is answered with a quote, by a server that does nothing else. The
// feed and the callers are a thread and a process of their own.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as rest } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import type { Database } from '../../src/database/connection.ts';
import type { Rates } from '../../src/domain/rates/rates.ts';
import { createGetClient } from '../../src/egress/get-client.ts';
import { createLoop } from '../../src/loop.ts';
import { createFeedReader } from '../../src/observe/feed-thread.ts';
import { createRatePoller, FEED_LIMITS } from '../../src/observe/poll-rates.ts';
import { FEED_KINDS } from '../../src/values/feeds/feeds.ts';
import type { HttpTask } from '../shared/http-load.ts';
import { startRunProcess, type Sample } from '../shared/run-process.ts';
import { MERCHANT } from './quotes.ts';

const LOAD = new URL('../shared/http-load.js', import.meta.url);
const CONNECTIONS = 8;
const FEED = 'kraken';
const log = pino({ level: 'silent' });

/** One run of calls. */
export interface CallRun extends Sample {
  /** Polls that were stored meanwhile. */
  readonly polls: number;
  /** The longest time for which the process did nothing else, in milliseconds. */
  readonly longestPauseMs: number;
}

export interface Calls {
  /** The bytes of the feed's answer. */
  readonly bytes: number;
  run(seconds: number, options: { readonly isPolling: boolean }): Promise<CallRun>;
  close(): Promise<void>;
}

/** A poll a second is thirty times what a gateway does. */
const EVERY_MS = 1_000;
const FIRST_POLL_MS = 60_000;

export async function openCalls(db: Database, rates: Rates): Promise<Calls> {
  const worker = new Worker(new URL('./feed.js', import.meta.url));
  const [{ port: feedPort, bytes }] = (await once(worker, 'message')) as [{ port: number; bytes: number }];
  const [egress, reader] = [createGetClient({ allowPrivate: true, ...FEED_LIMITS }), createFeedReader()];
  const server = createServer((_request, response) => {
    const quoted = rates.quote(MERCHANT, 'BTC', 'EUR');
    response.statusCode = quoted ? 200 : 503;
    response.end(JSON.stringify({ rate: String(quoted?.rate) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const load = startRunProcess<HttpTask>(LOAD);
  const task: HttpTask = {
    ...{ method: 'GET', keyed: false, port: (server.address() as AddressInfo).port, path: '/', headers: {}, body: '' },
    ...{ connections: CONNECTIONS, expectStatus: 200, expectBody: '{"rate":' },
  };
  let polls = 0;
  // A clock by which every look finds the feed due.
  let time = Date.now();
  const clock = { now: () => new Date((time += 60_000)) };
  const feed = { name: FEED, kind: FEED_KINDS[FEED], url: `http://127.0.0.1:${String(feedPort)}/`, headers: {} };
  const onTicks = () => (polls += 1);
  const poller = createRatePoller({ db, clock, log }, feed, { egress, reader, pollSeconds: 30, label: FEED, onTicks });
  return {
    bytes,
    async run(seconds, { isPolling }) {
      const before = polls;
      const loop = isPolling ? createLoop(poller, { idleMs: EVERY_MS, log }) : null;
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const sample = await load.run(task, seconds);
      delay.disable();
      // On a slow machine the first poll may take longer than the run: it is waited for, and not measured.
      const patientUntil = performance.now() + FIRST_POLL_MS;
      while (loop && polls === before && performance.now() < patientUntil) await rest(20);
      await loop?.stop();
      return { ...sample, polls: polls - before, longestPauseMs: delay.max / 1e6 };
    },
    async close() {
      await load.close();
      server.closeAllConnections();
      server.close();
      await egress.close();
      await reader.close();
      await worker.terminate();
    },
  };
}
