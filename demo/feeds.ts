// Doubles of the feeds of rates, on loopback: they say of each coin what the story wants, in each feed's own form.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type FeedName = 'kraken' | 'coinbase' | 'bitstamp' | 'coingecko';

/** What each feed says of a code: US dollars for one unit; a feed that is missing says nothing of it. */
export type Said = Readonly<Partial<Record<FeedName, string>>>;

export interface Feeds {
  /** For the gateway: where the feeds are, with times short enough for a story. */
  readonly env: Readonly<Record<string, string>>;
  /** What the feeds say of a code from now on. */
  say(code: string, said: Said): void;
  stop(): Promise<void>;
}

/** What all feeds say to begin with; Litecoin has Bitcoin's price. */
const PRICES: Readonly<Record<string, string>> = {
  ...{ LTC: '60000', ETH: '3000', TRX: '0.25', USDT: '0.9995', USDC: '1.0002' },
  ...{ EUR: '1.08', JPY: '0.0065', KWD: '3.25' },
};

const COINGECKO_IDS: Readonly<Record<string, string>> = {
  ...{ LTC: 'litecoin', ETH: 'ethereum', TRX: 'tron', USDT: 'tether', USDC: 'usd-coin' },
};

type Prices = readonly (readonly [code: string, usd: string])[];

/** The body of each feed's answer. */
const BODIES: Readonly<Record<FeedName, (prices: Prices) => unknown>> = {
  kraken: (prices) => ({
    error: [],
    result: Object.fromEntries(prices.map(([code, usd]) => [`${code}USD`, { a: [usd], b: [usd] }])),
  }),
  coinbase: (prices) => ({
    data: { currency: 'USD', rates: Object.fromEntries(prices.map(([code, usd]) => [code, perDollar(usd)])) },
  }),
  bitstamp: (prices) =>
    prices.map(([code, usd]) => ({ pair: `${code}/USD`, bid: usd, ask: usd, timestamp: String(nowInSeconds()) })),
  coingecko: (prices) =>
    Object.fromEntries(
      prices.flatMap(([code, usd]) => {
        const id = COINGECKO_IDS[code];
        return id === undefined ? [] : [[id, { usd: Number(usd), last_updated_at: nowInSeconds() }]];
      }),
    ),
};

const nowInSeconds = (): number => Math.floor(Date.now() / 1_000);

/** One over a price, with enough places for the figures of the story. */
function perDollar(usd: string): string {
  const [whole = '', fraction = ''] = usd.split('.');
  const scaled = (10n ** 40n * 10n ** BigInt(fraction.length)) / BigInt(whole + fraction);
  const digits = scaled.toString().padStart(41, '0');
  return `${digits.slice(0, -40)}.${digits.slice(-40)}`;
}

/** Starts the feeds. */
export async function startFeeds(): Promise<Feeds> {
  const said = new Map<string, Said>();
  const pricesOf = (feed: FeedName): Prices =>
    Object.entries(PRICES).flatMap(([code, usual]) => {
      const own = said.get(code);
      const usd = own ? own[feed] : usual;
      return usd === undefined ? [] : [[code, usd] as const];
    });
  const server = createServer(({ url = '' }, response) => {
    const feed = url.split('/')[1] as FeedName;
    const bodyOf = BODIES[feed];
    response.setHeader('content-type', 'application/json').end(JSON.stringify(bodyOf(pricesOf(feed))));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const names = Object.keys(BODIES) as FeedName[];
  return {
    env: {
      ...{ RATE_FEEDS: names.join(','), RATE_FEEDS_ALLOW_PRIVATE: 'true' },
      ...{ RATE_POLL_SECONDS: '5', RATE_MAX_AGE_SECONDS: '10', RATE_LAST_GOOD_MINUTES: '1' },
      ...Object.fromEntries(names.map((name) => [`RATE_FEED_${name.toUpperCase()}_URL`, `${origin}/${name}`])),
    },
    say: (code, what) => void said.set(code, what),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
