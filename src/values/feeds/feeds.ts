// The feeds that rates are made of, as one table (contract-invoices, section 2).

import { readBitstamp } from './bitstamp.ts';
import { readCoinbase } from './coinbase.ts';
import { COINGECKO_PATH, readCoingecko } from './coingecko.ts';
import { readCustom } from './custom.ts';
import { readEcb } from './ecb.ts';
import { readKraken } from './kraken.ts';
import type { ReadTicks, Tick } from './tick.ts';

/** A kind of feed. */
export interface FeedKind {
  /** Where it is; null for what the operator names. */
  readonly origin: string | null;
  readonly path: string;
  readonly read: ReadTicks;
  /** It is not asked more often. */
  readonly leastPollSeconds?: number;
  /** How long its ticks are fresh, if not for `RATE_MAX_AGE_SECONDS`. */
  readonly maxAgeSeconds?: number;
  /** Whether it counts only where others are too few. */
  readonly isReserve?: boolean;
}

export const FEED_KINDS = {
  kraken: { origin: 'https://api.kraken.com', path: '/0/public/Ticker', read: readKraken },
  coinbase: { origin: 'https://api.coinbase.com', path: '/v2/exchange-rates?currency=USD', read: readCoinbase },
  bitstamp: { origin: 'https://www.bitstamp.net', path: '/api/v2/ticker/', read: readBitstamp },
  coingecko: {
    origin: 'https://api.coingecko.com',
    path: COINGECKO_PATH,
    read: readCoingecko,
    leastPollSeconds: 60,
  },
  ecb: {
    origin: 'https://www.ecb.europa.eu',
    path: '/stats/eurofxref/eurofxref-daily.xml',
    read: readEcb,
    maxAgeSeconds: 120 * 3_600,
    isReserve: true,
  },
  custom: { origin: null, path: '', read: readCustom },
} as const satisfies Readonly<Record<string, FeedKind>>;

export type FeedKindName = keyof typeof FEED_KINDS;
export const FEED_KIND_NAMES = Object.keys(FEED_KINDS) as FeedKindName[];

/** The kind of a feed by its name: `kraken`, or `custom:rates.example`. Null for a name that is no feed's. */
export function kindOf(name: string): FeedKind | null {
  const [kind = ''] = name.split(':', 1);
  return Object.hasOwn(FEED_KINDS, kind) ? FEED_KINDS[kind as FeedKindName] : null;
}

/** How far ahead of our clock a source may date a tick. */
export const MOST_AHEAD_MS = 60_000;

/**
 * Reads a feed's answer: one tick for each code, the first. What is dated too far ahead is dropped. Throws if the body
 * is not of the feed's form, or has no price of use.
 */
export function readFeed({ read }: FeedKind, body: string, arrivedAt: Date): Tick[] {
  const ticks = new Map<string, Tick>();
  for (const tick of read(body, arrivedAt)) {
    if (tick.at.getTime() - arrivedAt.getTime() <= MOST_AHEAD_MS && !ticks.has(tick.code)) ticks.set(tick.code, tick);
  }
  if (ticks.size === 0) throw new Error('there is no price of use');
  return [...ticks.values()];
}
