// Where rates come from, by configuration: defaults, feeds by name, and what is refused (contract-invoices, section
// 12).

import { describe, expect, it } from '@jest/globals';
import { readRates, type RatesConfig } from '../../src/config/rates.ts';
import type { Reader } from '../../src/config/reader.ts';
import { ConfigError, readConfig } from '../../src/config/config.ts';

/** Reads the variables of rates alone, with the reader's own rules. */
function read(variables: Record<string, string>, { live = false } = {}): { rates: RatesConfig; faults: string[] } {
  const faults: string[] = [];
  const number = (name: string, otherwise: number) => Number(variables[name] ?? otherwise);
  const reader = {
    text: (name: string, otherwise: string) => variables[name] ?? otherwise,
    optional: (name: string) => variables[name] ?? null,
    url: (name: string, otherwise: string) => variables[name] ?? otherwise,
    boolean: (name: string, otherwise: boolean) => (variables[name] ?? String(otherwise)) === 'true',
    integer: number,
    fault: (name: string) => faults.push(name),
  };
  return { rates: readRates(reader as unknown as Reader, live), faults };
}
const namesOf = ({ rates }: ReturnType<typeof read>) => rates.feeds.map(({ name }) => name);

describe('rates', () => {
  it('are the sandbox’s in a sandbox, and of five feeds in live', () => {
    expect(readConfig({}).rates).toEqual({
      ...{ source: 'sandbox', feeds: [], pollSeconds: 30, allowPrivate: false, minSources: 2, maxAgeSeconds: 180 },
      ...{ maxDeviation: 5, maxJump: 20, lastGoodMinutes: 10 },
    });
    const live = read({}, { live: true });
    expect([live.rates.source, live.faults]).toEqual(['market', []]);
    expect(namesOf(live)).toEqual(['kraken', 'coinbase', 'bitstamp', 'coingecko', 'ecb']);
    expect(live.rates.feeds.map(({ url }) => new URL(url).origin)).toEqual([
      ...['https://api.kraken.com', 'https://api.coinbase.com', 'https://www.bitstamp.net'],
      ...['https://api.coingecko.com', 'https://www.ecb.europa.eu'],
    ]);
  });

  it('of one feed need one source, of several two, and of none fixed rates alone', () => {
    expect(read({ RATE_FEEDS: 'kraken' }).rates.minSources).toBe(1);
    expect(read({ RATE_FEEDS: 'kraken, coinbase' }).rates.minSources).toBe(2);
    expect(read({ RATE_FEEDS: 'kraken,coinbase', RATE_MIN_SOURCES: '1' }).rates.minSources).toBe(1);
    expect(read({ RATE_FEEDS: 'none' }, { live: true }).rates).toMatchObject({ source: 'none', feeds: [] });
  });

  it('come from other origins, and from feeds of the operator’s own, which are named by their hosts', () => {
    const custom = 'custom:https://rates.example/usd.json?key=secret,custom:https://other.example/';
    const feeds = read({ RATE_FEEDS: `kraken,${custom}`, RATE_FEED_KRAKEN_URL: 'https://mirror.example' });
    expect(feeds.faults).toEqual([]);
    expect(feeds.rates.feeds.map(({ name, label, url }) => [name, label, url])).toEqual([
      ['kraken', 'kraken', 'https://mirror.example/0/public/Ticker'],
      ['custom:rates.example', 'custom', 'https://rates.example/usd.json?key=secret'],
      ['custom:other.example', 'custom 2', 'https://other.example/'],
    ]);
  });

  it('of coingecko are asked with a key, by the header of its plan', () => {
    const headersOf = (more: Record<string, string>) =>
      read({ RATE_FEEDS: 'coingecko', COINGECKO_API_KEY: 'CG-key', ...more }).rates.feeds[0]?.headers;
    expect(headersOf({})).toEqual({ 'x-cg-demo-api-key': 'CG-key' });
    const pro = 'https://pro-api.coingecko.com';
    expect(headersOf({ RATE_FEED_COINGECKO_URL: pro })).toEqual({ 'x-cg-pro-api-key': 'CG-key' });
  });

  it.each([
    ['the sandbox’s in live', { RATE_FEEDS: 'sandbox' }, 'RATE_FEEDS'],
    ['the sandbox’s beside others', { RATE_FEEDS: 'kraken,sandbox' }, 'RATE_FEEDS'],
    ['none beside others', { RATE_FEEDS: 'kraken,none' }, 'RATE_FEEDS'],
    ['a feed that is none', { RATE_FEEDS: 'kraken,toString' }, 'RATE_FEEDS'],
    ['a feed twice', { RATE_FEEDS: 'kraken,kraken' }, 'RATE_FEEDS'],
    ['plain http', { RATE_FEED_KRAKEN_URL: 'http://mirror.example' }, 'RATE_FEED_KRAKEN_URL'],
    ['a private address', { RATE_FEEDS: 'custom:https://10.0.0.1/' }, 'RATE_FEEDS'],
    ['a feed of no URL', { RATE_FEEDS: 'custom:rates' }, 'RATE_FEEDS'],
    ['a key with a line break', { COINGECKO_API_KEY: 'a\nb' }, 'COINGECKO_API_KEY'],
  ])('refuse %s', (_, variables, fault) => {
    expect(new Set(read(variables, { live: true }).faults)).toEqual(new Set([fault]));
  });

  it('may come from private addresses where that is allowed', () => {
    const allowed = { RATE_FEEDS: 'custom:http://10.0.0.1:8080/', RATE_FEEDS_ALLOW_PRIVATE: 'true' };
    expect([read(allowed).faults, namesOf(read(allowed))]).toEqual([[], ['custom:10.0.0.1:8080']]);
  });

  it('have limits that are numbers', () => {
    const variables = { RATE_POLL_SECONDS: '1', RATE_MAX_JUMP: '0', RATE_MAX_DEVIATION: 'some', RATE_MIN_SOURCES: '0' };
    expect(() => readConfig(variables)).toThrow(ConfigError);
  });
});
