// The feeds' answers in recordings/, whose README names the source of each.

import { readFileSync } from 'node:fs';
import { formatAmount } from '../../../src/values/amount.ts';
import { FEED_KINDS, readFeed, type FeedKindName } from '../../../src/values/feeds/feeds.ts';
import type { Tick } from '../../../src/values/feeds/tick.ts';
import { USD_DECIMALS } from '../../../src/values/prices/price.ts';

const FILES = {
  kraken: 'kraken.json',
  coinbase: 'coinbase.json',
  bitstamp: 'bitstamp.json',
  coingecko: 'coingecko.json',
  ecb: 'ecb.xml',
} as const;

export type RecordedFeed = keyof typeof FILES;
export const RECORDED_FEEDS = Object.keys(FILES) as RecordedFeed[];

/** The body of a feed's answer. */
export const recordingOf = (feed: RecordedFeed): string =>
  readFileSync(`test/values/feeds/recordings/${FILES[feed]}`, 'utf8');

/** What the feed's adapter reads in a body: US dollars and the time by code, as text. */
export function readTicksOf(kind: FeedKindName, body: string, arrivedAt: Date): Record<string, string> {
  return Object.fromEntries(readFeed(FEED_KINDS[kind], body, arrivedAt).map((tick) => [tick.code, textOf(tick)]));
}

const textOf = ({ usd, at }: Tick): string =>
  `${formatAmount(usd, USD_DECIMALS)} ${at.toISOString().replace('.000', '')}`;
