// Starts what rates come from: the sandbox's prices, or the market's, which observers poll and every process follows.

import { Gauge, type Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { FeedConfig } from '../config/rates.ts';
import type { SyncedClock } from '../database/clock.ts';
import type { Database } from '../database/connection.ts';
import { readFeedFailures } from '../database/queries/rates/feeds.ts';
import type { Deps } from '../domain/deps.ts';
import { createRates, type PriceSource } from '../domain/rates/create-rates.ts';
import { judgeFigures } from '../domain/rates/judge-figures.ts';
import { createMarketPrices, type MarketPrices } from '../domain/rates/market-prices.ts';
import type { Rates } from '../domain/rates/rates.ts';
import { createSandboxPrices } from '../domain/rates/sandbox-prices.ts';
import { createGetClient } from '../egress/get-client.ts';
import { createRatePoller, FEED_LIMITS } from '../observe/poll-rates.ts';
import { watchCostly } from '../server/metrics/cached-gauges.ts';
import type { Loops, Stops } from './lifecycle.ts';

interface RateParts {
  readonly db: Database;
  readonly clock: SyncedClock;
  readonly loops: Loops;
  readonly registry: Registry;
}

/** How often a loop looks whether its feed is due, which is one small statement. */
const LOOK_MS = 1_000;

/** The rates of this process, from memory. Every process follows the figures. */
export async function startRates(config: Config, { db, clock, loops, registry }: RateParts): Promise<Rates> {
  const { source, pollSeconds, lastGoodMinutes } = config.rates;
  let prices: PriceSource | null = null;
  if (source === 'market') {
    const market = createMarketPrices({ db, clock }, { pollSeconds, lastGoodMinutes });
    await market.worker.processNext();
    loops.start(market.worker, { idleMs: LOOK_MS });
    watchAges(registry, market);
    prices = market;
  }
  if (config.environment === 'sandbox' && source !== 'none') prices = createSandboxPrices(clock, prices);
  return createRates(prices, clock);
}

/** Polls the feeds, and judges what they say: the observer's part. */
export function startPolling(
  { rates }: Config,
  deps: Pick<Deps, 'db' | 'clock' | 'log'>,
  { loops, stops, registry }: { readonly loops: Loops; readonly stops: Stops; readonly registry: Registry },
): void {
  const { feeds, pollSeconds, allowPrivate } = rates;
  if (feeds.length === 0) return;
  const egress = createGetClient({
    ...{ allowPrivate, ...FEED_LIMITS },
    onRefused: (host, addresses) => deps.log.warn({ host, addresses }, 'feed refused: not a public address'),
  });
  stops.push(() => egress.close());
  const names = feeds.map(({ name }) => name);
  const judge = { name: 'judge-rates', processNext: () => judgeFigures(deps, names, rates).then(() => false) };
  loops.start(judge, { idleMs: pollSeconds * 1_000 });
  const onTicks = () => loops.nudge('judge-rates');
  for (const feed of feeds)
    loops.start(createRatePoller(deps, feed, { egress, pollSeconds, label: feed.label, onTicks }), { idleMs: LOOK_MS });
  watchFeeds(registry, deps.db, feeds);
}

function watchAges(registry: Registry, market: MarketPrices): void {
  new Gauge({
    name: 'turnpike_rate_age_seconds',
    help: 'How long ago a code last had a good figure',
    labelNames: ['code'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [code, seconds] of market.ages()) this.set({ code }, seconds);
    },
  });
}

function watchFeeds(registry: Registry, db: Database, feeds: readonly FeedConfig[]): void {
  watchCostly(registry, () => readFeedFailures(db.em), [
    {
      name: 'turnpike_rate_feed_failures',
      help: 'Polls of a feed of rates that failed in a row, up to now',
      label: 'feed',
      of: (failures) => new Map(feeds.map(({ name, label }) => [label, failures.get(name) ?? 0])),
    },
  ]);
}
