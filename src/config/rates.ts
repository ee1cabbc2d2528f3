// Reads `RATE_…`: where rates come from, and when they are believed (contract-invoices, sections 2 and 12).

import { FEED_KIND_NAMES, FEED_KINDS, type FeedKind } from '../values/feeds/feeds.ts';
import type { FigureRules } from '../values/feeds/figure.ts';
import { readWebhookUrl } from '../values/internet/webhook-url.ts';
import type { Reader } from './reader.ts';

/** A feed that is polled. */
export interface FeedConfig {
  /** As the API names it: `kraken`, or `custom:` and the host. */
  readonly name: string;
  /** In metrics and logs of loops: the same without the host. */
  readonly label: string;
  readonly kind: FeedKind;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RatesConfig extends FigureRules {
  /** `sandbox`: prices of its own; `market`: those of the feeds; `none`: fixed rates only. */
  readonly source: 'sandbox' | 'market' | 'none';
  readonly feeds: readonly FeedConfig[];
  readonly pollSeconds: number;
  /** Whether feeds may be at private addresses, and over plain http. */
  readonly allowPrivate: boolean;
}

const LIVE_FEEDS = 'kraken,coinbase,bitstamp,coingecko,ecb';
/** The host of CoinGecko's paid plans, whose keys have a header of their own. */
const COINGECKO_PRO = 'pro-api.coingecko.com';

/** Reads them. `sandbox` and `none` stand alone, and live refuses the sandbox's prices. */
export function readRates(read: Reader, live: boolean): RatesConfig {
  const allowPrivate = read.boolean('RATE_FEEDS_ALLOW_PRIVATE', false);
  const names = splitFeeds(read.text('RATE_FEEDS', live ? LIVE_FEEDS : 'sandbox'));
  const [first] = names;
  const isAlone = names.length === 1 && (first === 'sandbox' || first === 'none');
  if (live && names.includes('sandbox'))
    read.fault('RATE_FEEDS', "must not be sandbox in live: its prices are not the market's");
  const feeds = isAlone ? [] : readFeeds(read, names, allowPrivate);
  const pollSeconds = read.integer('RATE_POLL_SECONDS', 30, 5, 3_600);
  return {
    ...{ feeds, pollSeconds, allowPrivate },
    source: isAlone ? first : 'market',
    minSources: read.integer('RATE_MIN_SOURCES', feeds.length === 1 ? 1 : 2, 1, 10),
    maxAgeSeconds: read.integer('RATE_MAX_AGE_SECONDS', 180, 10, 86_400),
    maxDeviation: read.integer('RATE_MAX_DEVIATION', 5, 1, 50),
    maxJump: read.integer('RATE_MAX_JUMP', 20, 1, 100),
    lastGoodMinutes: read.integer('RATE_LAST_GOOD_MINUTES', 10, 1, 1_440),
  };
}

const splitFeeds = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);

function readFeeds(read: Reader, names: readonly string[], allowPrivate: boolean): FeedConfig[] {
  const feeds = names.flatMap((name) => readFeed(read, name, allowPrivate) ?? []);
  const custom = feeds.filter(({ label }) => label === 'custom');
  for (const { name } of feeds.filter((feed, index) => feeds.findIndex((other) => other.name === feed.name) < index))
    read.fault('RATE_FEEDS', `must name each feed once; ${name} is there twice`);
  return feeds.map((feed) => {
    const nth = custom.indexOf(feed);
    return nth > 0 ? { ...feed, label: `custom ${String(nth + 1)}` } : feed;
  });
}

function readFeed(read: Reader, name: string, allowPrivate: boolean): FeedConfig | null {
  if (name.startsWith('custom:')) return readCustom(read, name.slice('custom:'.length), allowPrivate);
  const named = FEED_KIND_NAMES.find((kind) => kind === name && kind !== 'custom');
  if (!named) {
    const choices = [...FEED_KIND_NAMES.filter((kind) => kind !== 'custom'), 'custom:<URL>'].join(', ');
    read.fault('RATE_FEEDS', `must be sandbox, none, or some of ${choices}, not "${name}"`);
    return null;
  }
  const kind: FeedKind = FEED_KINDS[named];
  const variable = `RATE_FEED_${named.toUpperCase()}_URL`;
  const origin = read.url(variable, kind.origin ?? '');
  const url = `${origin}${kind.path}`;
  const refusal = refuse(url, allowPrivate);
  if (refusal !== null) read.fault(variable, refusal);
  return { name, label: name, kind, url, headers: named === 'coingecko' ? readKey(read, origin) : {} };
}

/** The URL may contain a key, so neither the API nor a fault repeats more of it than its host. */
function readCustom(read: Reader, url: string, allowPrivate: boolean): FeedConfig | null {
  const refusal = refuse(url, allowPrivate);
  if (refusal !== null) {
    read.fault('RATE_FEEDS', `custom: ${refusal}`);
    return null;
  }
  return { name: `custom:${new URL(url).host}`, label: 'custom', kind: FEED_KINDS.custom, url, headers: {} };
}

function refuse(text: string, allowPrivate: boolean): string | null {
  const url = readWebhookUrl(text, { allowPrivate });
  if (!(url instanceof URL)) return url.message;
  return url.protocol === 'https:' || allowPrivate
    ? null
    : 'must be an https URL, unless RATE_FEEDS_ALLOW_PRIVATE is true';
}

function readKey(read: Reader, origin: string): Readonly<Record<string, string>> {
  const key = read.optional('COINGECKO_API_KEY');
  if (key === null) return {};
  if (!/^[\x21-\x7e]+$/.test(key)) {
    read.fault('COINGECKO_API_KEY', 'must be printable characters without blanks');
    return {};
  }
  const isPro = URL.canParse(origin) && new URL(origin).hostname === COINGECKO_PRO;
  return { [isPro ? 'x-cg-pro-api-key' : 'x-cg-demo-api-key']: key };
}
