// Feeds of rates as doubles: HTTP servers whose answers a test sets, and the observer's workers that read them.

import type { RequestListener, ServerResponse } from 'node:http';
import { judgeFigures } from '../../src/domain/rates/judge-figures.ts';
import { createMarketPrices, type MarketPrices } from '../../src/domain/rates/market-prices.ts';
import type { Deps } from '../../src/domain/deps.ts';
import { createGetClient, type GetClient, type GetClientOptions } from '../../src/egress/get-client.ts';
import { createFeedReader, type FeedReader } from '../../src/observe/feed-thread.ts';
import { createRatePoller, FEED_LIMITS } from '../../src/observe/poll-rates.ts';
import { FEED_KINDS, type FeedKindName } from '../../src/values/feeds/feeds.ts';
import type { FigureRules } from '../../src/values/feeds/figure.ts';
import { receive, type Receiver } from '../dispatch/receivers.fixture.ts';

/** The rules that operators have by default. */
export const RULES: FigureRules = {
  minSources: 2,
  maxAgeSeconds: 180,
  maxDeviation: 5,
  maxJump: 20,
  lastGoodMinutes: 10,
};
export const POLL_SECONDS = 30;

/** What a double answers: a body, or whatever the listener does. */
export type Answer = string | RequestListener;

/** A feed's double. */
export interface FeedDouble extends Receiver {
  /** What it answers from now on. */
  answers(answer: Answer): void;
}

/** Opens one; it is closed by `closeReceivers`. */
export async function openFeed(first: Answer): Promise<FeedDouble> {
  let answer = first;
  const receiver = await receive((request, response) => {
    if (typeof answer === 'string') response.end(answer);
    else answer(request, response);
  });
  return { ...receiver, answers: (next) => void (answer = next) };
}

/** Answers with a status, and with headers. */
export const refuse =
  (status: number, headers: Record<string, string> = {}): RequestListener =>
  (_request: unknown, response: ServerResponse) =>
    void response.writeHead(status, headers).end('{}');

/** Each feed's way to say what one unit of some codes costs. */
export const BODIES = {
  kraken: (usd: Record<string, string>) => {
    const nameOf = (code: string) => (code === 'BTC' ? 'XXBTZUSD' : code === 'EUR' ? 'ZEURZUSD' : `${code}USD`);
    const pairs = Object.entries(usd).map(([code, price]) => [nameOf(code), { a: [price], b: [price] }]);
    return JSON.stringify({ error: [], result: Object.fromEntries(pairs) });
  },
  custom: (usd: Record<string, string>, at?: Date) =>
    JSON.stringify({ rates: Object.entries(usd).map(([code, price]) => ({ code, usd: price, at })) }),
} as const;

/** The observer's part: pollers, the judge, and the memory of a process. */
export interface Desk {
  /** A poller of a feed; each call creates one, as another process would. */
  poller(
    name: string,
    url: string,
    options?: { readonly kind?: FeedKindName; readonly egress?: GetClient; readonly reader?: FeedReader },
  ): { poll(): Promise<void> };
  /** Judges the figures of the feeds that were polled so far. */
  judge(rules?: Partial<FigureRules>): Promise<void>;
  /** A memory; it is empty until `look`. */
  memory(): MarketPrices & { look(): Promise<void> };
  close(): Promise<void>;
}

/** A client for feeds on this machine. */
export const openEgress = (options: Partial<GetClientOptions> = {}): GetClient =>
  createGetClient({ allowPrivate: true, ...FEED_LIMITS, ...options });

export function openDesk(deps: Pick<Deps, 'db' | 'clock' | 'log'>): Desk {
  const names = new Set<string>();
  const [own, ownReader] = [openEgress(), createFeedReader()];
  return {
    poller(name, url, { kind = 'custom', egress = own, reader = ownReader } = {}) {
      names.add(name);
      const feed = { name, url, kind: FEED_KINDS[kind], headers: {} };
      const worker = createRatePoller(deps, feed, { egress, reader, pollSeconds: POLL_SECONDS, label: name });
      return { poll: async () => void (await worker.processNext()) };
    },
    judge: (rules = {}) => judgeFigures(deps, [...names], { ...RULES, ...rules }),
    memory() {
      const prices = createMarketPrices(deps, { pollSeconds: POLL_SECONDS, lastGoodMinutes: RULES.lastGoodMinutes });
      return { ...prices, look: async () => void (await prices.worker.processNext()) };
    },
    close: async () => {
      await own.close();
      await ownReader.close();
    },
  };
}
