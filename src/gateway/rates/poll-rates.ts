// Starts the polling of the feeds of rates: the observer's part.

import type { Registry } from 'prom-client';
import type { Config } from '../../config/config.ts';
import type { FeedConfig } from '../../config/rates.ts';
import type { Database } from '../../database/connection.ts';
import { readFeedFailures } from '../../database/queries/rates/feeds.ts';
import type { Deps } from '../../domain/deps.ts';
import { judgeFigures } from '../../domain/rates/judge-figures.ts';
import { createGetClient } from '../../egress/get-client.ts';
import { createFeedReader } from '../../observe/feed-thread.ts';
import { createRatePoller, FEED_LIMITS } from '../../observe/poll-rates.ts';
import { watchCostly } from '../../server/metrics/cached-gauges.ts';
import type { Loops, Stops } from '../lifecycle.ts';

/** How often a loop looks whether its feed is due, which is one small statement. */
const LOOK_MS = 1_000;

/** Polls the feeds, and judges what they say. */
export function startPolling(
  { rates }: Config,
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  { loops, stops, registry }: { readonly loops: Loops; readonly stops: Stops; readonly registry: Registry },
): void {
  const { feeds, pollSeconds, allowPrivate } = rates;
  watchFeeds(registry, deps.db, feeds);
  if (feeds.length === 0) return;
  const egress = createGetClient({
    ...{ allowPrivate, ...FEED_LIMITS },
    onRefused: (host, addresses) => deps.log.warn({ host, addresses }, 'feed refused: not a public address'),
  });
  const reader = createFeedReader();
  stops.push(() => egress.close());
  stops.push(() => reader.close());
  const names = feeds.map(({ name }) => name);
  const judge = { name: 'judge-rates', processNext: () => judgeFigures(deps, names, rates).then(() => false) };
  loops.start(judge, { idleMs: pollSeconds * 1_000 });
  const onTicks = () => loops.nudge('judge-rates');
  for (const feed of feeds) {
    const poller = createRatePoller(deps, feed, { egress, reader, pollSeconds, label: feed.label, onTicks });
    loops.start(poller, { idleMs: LOOK_MS });
  }
}

function watchFeeds(registry: Registry, db: Database, feeds: readonly FeedConfig[]): void {
  const read = async (): Promise<ReadonlyMap<string, number>> =>
    feeds.length === 0 ? new Map() : readFeedFailures(db.em);
  watchCostly(registry, read, [
    {
      name: 'turnpike_rate_feed_failures',
      help: 'Polls of a feed of rates that failed in a row, up to now',
      label: 'feed',
      of: (failures) => new Map(feeds.map(({ name, label }) => [label, failures.get(name) ?? 0])),
    },
  ]);
}
