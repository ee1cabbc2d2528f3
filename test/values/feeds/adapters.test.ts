// Every feed's answer is read as its documentation says, from the text of its numbers; what is no price is left out
// (contract-invoices, section 2).

import { describe, expect, it } from '@jest/globals';
import { readDecimal } from '../../../src/values/feeds/decimals.ts';
import { FEED_KINDS, kindOf, readFeed } from '../../../src/values/feeds/feeds.ts';
import { parseWithNumbersAsText } from '../../../src/values/feeds/json-text.ts';
import { readTicksOf, recordingOf } from './recordings.fixture.ts';

const NOW = new Date('2026-11-27T12:00:00Z');
const ARRIVED = '2026-11-27T12:00:00Z';

describe('the answers of the feeds', () => {
  it('kraken: the middle of the best ask and bid of each pair with the dollar, either way round', () => {
    expect(readTicksOf('kraken', recordingOf('kraken'), NOW)).toEqual({
      BTC: `30300.05 ${ARRIVED}`,
      ETH: `1900.01 ${ARRIVED}`,
      LTC: `86.47 ${ARRIVED}`,
      SOL: `25.445 ${ARRIVED}`,
      USDT: `0.99985 ${ARRIVED}`,
      USDC: `1.00005 ${ARRIVED}`,
      EUR: `1.0901 ${ARRIVED}`,
      // 1 / 140, half up.
      JPY: `0.007142857142857143 ${ARRIVED}`,
      AUD: `0.6681 ${ARRIVED}`,
    });
  });

  it('coinbase: one over each rate', () => {
    expect(readTicksOf('coinbase', recordingOf('coinbase'), NOW)).toEqual({
      AED: `0.272257010618023414 ${ARRIVED}`,
      AFN: `0.014184397163120567 ${ARRIVED}`,
      BTC: `31250 ${ARRIVED}`,
      ETH: `2000 ${ARRIVED}`,
      EUR: `1.25 ${ARRIVED}`,
      JPY: `0.008 ${ARRIVED}`,
      KWD: `3.125 ${ARRIVED}`,
      LTC: `80 ${ARRIVED}`,
      USDC: `1 ${ARRIVED}`,
      USDT: `0.999750062484378905 ${ARRIVED}`,
    });
  });

  it('bitstamp: the middle of bid and ask of spot pairs with the dollar, at the source’s own time', () => {
    expect(readTicksOf('bitstamp', recordingOf('bitstamp'), NOW)).toEqual({
      BTC: '2199.985 2022-01-31T14:43:06Z',
      EUR: '1.1232 2022-01-31T14:43:00Z',
      USDC: '1 2022-01-31T14:43:04Z',
    });
  });

  it('coingecko: coins in dollars, currencies by what Bitcoin costs in them, at the source’s own times', () => {
    expect(readTicksOf('coingecko', recordingOf('coingecko'), NOW)).toEqual({
      BTC: '67187.3358936566 2024-03-25T08:45:00Z',
      EUR: '1.083874339825656602 2024-03-25T08:45:00Z',
      JPY: '0.006605125756608285 2024-03-25T08:45:00Z',
      ETH: '3452.1 2024-03-25T08:44:58Z',
      POL: '1 2024-03-25T08:44:51Z',
      TRX: '0.12 2024-03-25T08:44:37Z',
    });
  });

  it('ecb: currencies over the euro, at the afternoon of its day', () => {
    const ticks = readTicksOf('ecb', recordingOf('ecb'), NOW);
    expect(ticks).toEqual({
      EUR: '1.0784 2024-06-13T14:00:00Z',
      JPY: '0.006359240476471282 2024-06-13T14:00:00Z',
      CZK: '0.043661686707963885 2024-06-13T14:00:00Z',
      GBP: '1.276696500449874509 2024-06-13T14:00:00Z',
      ISK: '0.007223040857334226 2024-06-13T14:00:00Z',
      IDR: '0.000061525014790764 2024-06-13T14:00:00Z',
    });
    const inOneLine = recordingOf('ecb')
      .replace(/\s*\n\s*/g, '')
      .replaceAll("'", '"');
    expect(readTicksOf('ecb', inOneLine, NOW)).toEqual(ticks);
  });

  it('a feed of the operator’s own: as of `at`, or else of its arrival; codes in any case', () => {
    const body = `{"rates": [
      {"code": "btc", "usd": "60000.5", "at": "2026-11-27T11:59:30Z"}, {"code": "EUR", "usd": 1.0800000000000000001},
      {"code": "KWD", "usd": "3.25", "at": "2026-11-27T12:59:00+01:00"}, {"code": "JPY", "usd": "0.0065", "at": null},
      {"code": "GBP", "usd": "1.25", "at": "yesterday"}, {"code": "CHF", "usd": "1.1", "at": 1764244770},
      {"code": "XAU", "usd": "4000"}, {"code": "USD", "usd": "2"}, {"code": 5, "usd": "1"}, {"usd": "1"}, null, 7
    ]}`;
    expect(readTicksOf('custom', body, NOW)).toEqual({
      BTC: '60000.5 2026-11-27T11:59:30Z',
      EUR: `1.08 ${ARRIVED}`,
      KWD: '3.25 2026-11-27T11:59:00Z',
      JPY: `0.0065 ${ARRIVED}`,
    });
  });

  it.each(['bitstamp', 'coingecko'] as const)(
    '%s: without a time of its own a price is as old as its arrival',
    (feed) => {
      const body = recordingOf(feed).replace(/"(timestamp|last_updated_at)": ("?)\d+\2/, '"$1": null');
      expect(readTicksOf(feed, body, NOW).BTC).toMatch(new RegExp(` ${ARRIVED}$`));
      const odd = body.replace(/"(timestamp|last_updated_at)": null/, '"$1": "soon"');
      expect(readTicksOf(feed, odd, NOW)).not.toHaveProperty('BTC');
    },
  );
});

const kraken = (pairs: Record<string, unknown>) => JSON.stringify({ error: [], result: pairs });
const priceOf = (number: string) =>
  `{"error":[],"result":{"ETHUSD":{"a":[1],"b":[1]},"XXBTZUSD":{"a":[${number}],"b":[${number}]}}}`;

describe('a price', () => {
  it.each([
    ['60000', '60000'],
    ['"60000"', '60000'],
    ['1e-7', '0.0000001'],
    ['1E5', '100000'],
    ['"2.5e+3"', '2500'],
    // As a float this would be 0.1 and 9007199254740992.
    ['0.100000000000000001', '0.100000000000000001'],
    ['9007199254740993', '9007199254740993'],
    // Half up at the eighteenth decimal.
    ['0.0000000000000000005', '0.000000000000000001'],
  ])('of %s is %s', (number, usd) => {
    expect(readTicksOf('kraken', priceOf(number), NOW).BTC).toBe(`${usd} ${ARRIVED}`);
  });

  it.each([
    ...['0', '0.000', '0e5', '"0"', '-1', '"-1"', '-0', 'null', 'true', '[]', '{}', '""', '"NaN"', '"Infinity"'],
    ...['"0x10"', '" 1"', '"1 "', '"1,5"', '"1."', '".5"', '"+1"', '"1_000"', '"١"', '"sixty"', '"1e"'],
    ...['1e-40', '1e41', '1e400', '"1e999999999"', '1e18', `"${'9'.repeat(101)}"`, '0.0000000000000000004'],
  ])('of %s is none', (number) => {
    const ticks = readTicksOf('kraken', priceOf(number), NOW);
    expect(ticks).not.toHaveProperty('BTC');
    expect(ticks).toHaveProperty('ETH');
  });

  it.each(['NaN', 'Infinity', '-', '01', '1.', '.5', '+1', '0x10', '1 2', '"1'])(
    'of %s, which is not JSON, spoils the answer',
    (number) => {
      expect(() => readTicksOf('kraken', priceOf(number), NOW)).toThrow();
    },
  );

  it('of one side alone is none', () => {
    const body = kraken({
      XXBTZUSD: { a: ['60000'], b: ['0'] },
      XETHZUSD: { a: ['3000'] },
      SOLUSD: { a: [150], b: [150] },
    });
    expect(Object.keys(readTicksOf('kraken', body, NOW))).toEqual(['SOL']);
  });

  it('that is there twice is the first of two names, and the last of one key', () => {
    const [one, two] = ['{"a":[1],"b":[1]}', '{"a":[2],"b":[2]}'];
    const named = `{"result":{"XBTUSD":${one},"XXBTZUSD":${two}}}`;
    expect(readTicksOf('kraken', named, NOW).BTC).toBe(`1 ${ARRIVED}`);
    expect(readTicksOf('kraken', named.replace('XBTUSD', 'XXBTZUSD'), NOW).BTC).toBe(`2 ${ARRIVED}`);
  });

  it('that is dated more than a minute ahead is dropped', () => {
    const dated = (at: string) => readTicksOf('custom', `{"rates":[{"code":"BTC","usd":1,"at":"${at}"}]}`, NOW);
    expect(dated('2026-11-27T12:01:00Z')).toHaveProperty('BTC');
    expect(() => dated('2026-11-27T12:01:00.001Z')).toThrow('no price of use');
  });
});

describe('an answer that is none', () => {
  it.each([
    ['kraken', '{"error":["EGeneral:Too many requests"]}'],
    ['kraken', '{"error":[],"result":{}}'],
    ['coinbase', '{"data":{"currency":"EUR","rates":{"BTC":"1"}}}'],
    ['coinbase', '{"errors":[{"id":"rate_limit_exceeded"}]}'],
    ['bitstamp', '{"status":"error"}'],
    ['bitstamp', '[]'],
    ['coingecko', '{"status":{"error_code":429}}'],
    ['coingecko', '[]'],
    ['ecb', '<html><body>Service unavailable</body></html>'],
    ['ecb', `<Cube time='2024-06-13'><Cube currency='JPY' rate='169.58'/></Cube>`],
    ['ecb', `<Cube time='2024-99-99'><Cube currency='USD' rate='1.0784'/></Cube>`],
    ['ecb', `<Cube time='2024-06-13'><Cube currency='USD' rate='NaN'/></Cube>`],
    ['custom', '{"rates":{"BTC":1}}'],
    ['custom', ''],
    ['custom', 'null'],
  ] as const)('%s: %s is a failure, not an empty list', (feed, body) => {
    expect(() => readFeed(FEED_KINDS[feed], body, NOW)).toThrow();
  });

  it.each([
    ['deep lists', '['.repeat(1_000_000)],
    ['deep objects', '{"a":'.repeat(400_000)],
    ['a string that does not end', `"${'\\"'.repeat(1_000_000)}`],
    ['quotation marks', '"'.repeat(2_000_000)],
    ['backslashes', '\\'.repeat(2_000_000)],
    ['digits', '1'.repeat(2_000_000)],
    ['minus signs', '-'.repeat(2_000_000)],
    ['open elements', '<Cube '.repeat(300_000)],
    ['blanks in an element', `<Cube${' '.repeat(2_000_000)}`],
  ])('of %s is refused by each feed in linear time', (_, body) => {
    for (const kind of Object.values(FEED_KINDS)) expect(() => readFeed(kind, body, NOW)).toThrow();
  });

  it('cannot name what every object has', () => {
    expect(() => readFeed(FEED_KINDS.coingecko, '{"__proto__":{"usd":1},"constructor":{"usd":1}}', NOW)).toThrow();
    expect([kindOf('toString'), kindOf('__proto__'), kindOf('')]).toEqual([null, null, null]);
    expect(kindOf('custom:rates.example')).toBe(FEED_KINDS.custom);
  });
});

describe('numbers as text', () => {
  it('leaves strings as they are, whatever is in them', () => {
    const value = { 'a "1" \\': ['1.5e3', '\\" 2', 'ü\n', ''], '7': '8' };
    expect(parseWithNumbersAsText(JSON.stringify(value))).toEqual(value);
    expect(parseWithNumbersAsText('[1, -2.50e-3,{"n":0}, true, null]')).toEqual([
      '1',
      '-2.50e-3',
      { n: '0' },
      true,
      null,
    ]);
  });

  it('reads decimals exactly', () => {
    expect(readDecimal('0.000000000000000000000000000001')).toBe(1n);
    expect(readDecimal('1e-30')).toBe(1n);
    expect(readDecimal(1.5)).toBeNull();
  });
});
