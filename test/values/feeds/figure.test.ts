// What one unit of a code costs from what the feeds say: each sentence of contract-invoices, section 2, and life 4 of
// section 16, as tables; and by property, what a lone liar can do.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatAmount, parseAmount } from '../../../src/values/amount.ts';
import {
  isOver,
  judgeFigure,
  type FeedTick,
  type FigureRules,
  type GoodFigure,
} from '../../../src/values/feeds/figure.ts';
import { USD_DECIMALS } from '../../../src/values/prices/price.ts';

const NOW = new Date('2026-11-27T12:00:00Z');
const RULES: FigureRules = { minSources: 2, maxAgeSeconds: 180, maxDeviation: 5, maxJump: 20, lastGoodMinutes: 10 };

const ago = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000);
const usd = (text: string): bigint => {
  const parsed = parseAmount(text, USD_DECIMALS);
  if (parsed === null) throw new Error(`${text} is no price`);
  return parsed;
};
/** `kraken 60010` or, of an age in seconds, `kraken 60010 181`. */
const ticksOf = (said: string): FeedTick[] =>
  said.split(', ').flatMap((one) => {
    const [feed = '', price = '', seconds = '0'] = one.split(' ');
    return feed === '' ? [] : [{ feed, code: 'BTC', usd: usd(price), at: ago(Number(seconds)) }];
  });
const good = (price: string, secondsAgo = 30): GoodFigure => ({ usd: usd(price), at: ago(secondsAgo) });

/** The figure, with the feeds that it was made of; or why there is none. */
function judged(said: string, lastGood: GoodFigure | null = null, rules: Partial<FigureRules> = {}): string {
  const judgement = judgeFigure(ticksOf(said), lastGood, { ...RULES, ...rules }, NOW);
  if (judgement.kind !== 'GOOD') return judgement.kind;
  return [formatAmount(judgement.usd, USD_DECIMALS), ...judgement.ticks.map(({ feed }) => feed)].join(' ');
}

describe('a figure', () => {
  it.each([
    ['the median of three', 'kraken 99, coinbase 100, bitstamp 102', '100 kraken coinbase bitstamp'],
    ['the mean of two', 'kraken 99, coinbase 100', '99.5 kraken coinbase'],
    [
      'the mean of the two in the middle',
      'kraken 98, coinbase 99, bitstamp 100, coingecko 102',
      '99.5 kraken coinbase bitstamp coingecko',
    ],
    ['half up at the last digit', 'kraken 1, coinbase 1.000000000000000001', '1.000000000000000001 kraken coinbase'],
    [
      'of what is within five percent of the median, that included',
      'kraken 95, coinbase 100, bitstamp 105',
      '100 kraken coinbase bitstamp',
    ],
    ['without what is further', 'kraken 94.999999, coinbase 100, bitstamp 104', '102 coinbase bitstamp'],
    ['none of one source', 'kraken 100', 'NONE'],
    ['none of one source besides a liar', 'kraken 100, coinbase 1000', 'NONE'],
    ['none of nothing', '', 'NONE'],
    ['none of two that differ', 'kraken 100, coinbase 111', 'NONE'],
    ['of two that differ by less', 'kraken 100, coinbase 110', '105 kraken coinbase'],
  ])('is %s', (_, said, figure) => {
    expect(judged(said)).toBe(figure);
  });

  it.each([
    ['fresh for three minutes', 'kraken 100 180, coinbase 100 180', '100 kraken coinbase'],
    ['not longer', 'kraken 100 180.001, coinbase 100', 'NONE'],
    ['dropped if it is dated more than a minute ahead', 'kraken 100 -60.001, coinbase 100', 'NONE'],
    ['taken if by less', 'kraken 100 -60, coinbase 100', '100 kraken coinbase'],
  ])('is of ticks: a tick is %s', (_, said, figure) => {
    expect(judged(said)).toBe(figure);
  });

  it('keeps a tick for as long as the operator says', () => {
    expect(judged('kraken 100 30, coinbase 100 31', null, { maxAgeSeconds: 30 })).toBe('NONE');
  });

  it.each([
    ['counts where others are too few', 'coinbase 1.10, ecb 1.08 400000', '1.09 coinbase ecb'],
    ['counts for 120 hours', 'coinbase 1.10, ecb 1.08 432000', '1.09 coinbase ecb'],
    ['and not longer', 'coinbase 1.10, ecb 1.08 432001', 'NONE'],
    ['does not count where others are enough', 'coinbase 1.10, kraken 1.12, ecb 1.08', '1.11 coinbase kraken'],
    ['counts beside others that are too old', 'coinbase 1.10, kraken 1.12 181, ecb 1.08', '1.09 coinbase ecb'],
    ['is one source of two, like others', 'ecb 1.08', 'NONE'],
  ])('of the reserve, the ecb, %s', (_, said, figure) => {
    expect(judged(said)).toBe(figure);
  });

  it('of one source is enough where the operator says so, and still one that does not disagree', () => {
    expect(judged('kraken 100', null, { minSources: 1 })).toBe('100 kraken');
    expect(judged('kraken 100, coinbase 1000', null, { minSources: 1 })).toBe('NONE');
    expect(judged('ecb 1.08', null, { minSources: 1 })).toBe('1.08 ecb');
    expect(judged('ecb 1.08, kraken 1.1', null, { minSources: 1 })).toBe('1.1 kraken');
  });

  it('of three is asked for where the operator says so', () => {
    expect(judged('kraken 100, coinbase 101', null, { minSources: 3 })).toBe('NONE');
    expect(judged('kraken 100, coinbase 101, bitstamp 102', null, { minSources: 3 })).toMatch(/^101 /);
  });
});

describe('a jump', () => {
  it.each([
    ['of twenty percent is believed', good('100'), '120 kraken coinbase', 'kraken 120, coinbase 120'],
    ['of more is not', good('100'), 'JUMP', 'kraken 120.01, coinbase 120.01'],
    ['downward of twenty percent is believed', good('100'), '80 kraken coinbase', 'kraken 80, coinbase 80'],
    ['downward of more is not', good('100'), 'JUMP', 'kraken 79.99, coinbase 79.99'],
    ['from a figure ten minutes old is not', good('100', 600), 'JUMP', 'kraken 200, coinbase 200'],
    ['from an older one is believed', good('100', 600.001), '200 kraken coinbase', 'kraken 200, coinbase 200'],
    ['from nothing is believed', null, '200 kraken coinbase', 'kraken 200, coinbase 200'],
  ])('%s', (_, lastGood, figure, said) => {
    expect(judged(said, lastGood)).toBe(figure);
  });

  it('is judged by the operator’s measure and time', () => {
    expect(judged('kraken 104, coinbase 104', good('100'), { maxJump: 3 })).toBe('JUMP');
    expect(judged('kraken 104, coinbase 104', good('100', 61), { maxJump: 3, lastGoodMinutes: 1 })).toMatch(/^104 /);
  });

  it('of too few sources is none, so that the last good figure serves', () => {
    expect(judged('kraken 200', good('100'))).toBe('NONE');
  });
});

describe('the fourth life', () => {
  const LIARS = 'kraken 60010, coinbase 59990, bitstamp 600000';

  it('the zero has been dropped; bitstamp is out, and the mean of the rest is 60000', () => {
    expect(judged(LIARS)).toBe('60000 kraken coinbase');
  });

  it('coinbase falls silent: after 180 s both others are out, and 60000 serves for ten minutes', () => {
    expect(judged('kraken 60010, coinbase 59990 180, bitstamp 600000', good('60000'))).toBe('60000 kraken coinbase');
    expect(judged('kraken 60010, coinbase 59990 180.001, bitstamp 600000', good('60000'))).toBe('NONE');
    expect(isOver(good('60000', 600), RULES, NOW)).toBe(false);
    expect(isOver(good('60000', 600.001), RULES, NOW)).toBe(true);
  });

  it('coinbase is back: a figure, whatever has become of the last good one', () => {
    for (const lastGood of [null, good('60000'), good('60000', 3_600)])
      expect(judged(LIARS, lastGood)).toBe('60000 kraken coinbase');
  });
});

const FEEDS = ['kraken', 'coinbase', 'bitstamp', 'coingecko', 'custom:one', 'custom:two'];
const price = fc.bigInt({ min: 1n, max: 10n ** 35n });
const rules = fc.record({
  minSources: fc.integer({ min: 2, max: 4 }),
  maxAgeSeconds: fc.integer({ min: 10, max: 600 }),
  maxDeviation: fc.integer({ min: 1, max: 5 }),
  maxJump: fc.integer({ min: 1, max: 100 }),
  lastGoodMinutes: fc.integer({ min: 1, max: 60 }),
});

describe('by property', () => {
  it('a lone liar never decides: a figure lies within what the others say, and what they may deviate', () => {
    const honest = fc.array(fc.integer({ min: -10, max: 10 }), { minLength: 1, maxLength: FEEDS.length - 1 });
    fc.assert(
      fc.property(rules, honest, price, fc.nat(), (given, parts, lie, place) => {
        const centre = usd('60000');
        const prices = parts.map((part) => centre + (centre * BigInt(part)) / 1_000n);
        const said = prices.toSpliced(place % (prices.length + 1), 0, lie);
        const ticks = said.map((each, nth) => ({ feed: FEEDS[nth] ?? '', code: 'BTC', usd: each, at: NOW }));
        const judgement = judgeFigure(ticks, null, given, NOW);
        if (judgement.kind !== 'GOOD') return;
        const sorted = [...prices].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        // The liar and one other: each is at most 5 % from their mean, so at most 10.6 % from each other.
        expect(judgement.usd * 1_000n).toBeGreaterThanOrEqual((sorted[0] ?? 0n) * 940n);
        expect(judgement.usd * 1_000n).toBeLessThanOrEqual((sorted.at(-1) ?? 0n) * 1_060n);
        expect(judgement.ticks.length).toBeGreaterThanOrEqual(given.minSources);
      }),
      { numRuns: 2_000 },
    );
  });

  it('of whatever is said, in whatever order, a figure is the same, positive, and among the prices it was made of', () => {
    const tick = fc.record({
      feed: fc.constantFrom(...FEEDS, 'ecb'),
      code: fc.constant('EUR'),
      usd: price,
      at: fc.integer({ min: -300, max: 900 }).map(ago),
    });
    const several = fc.uniqueArray(tick, { selector: ({ feed }) => feed, maxLength: 7 });
    const last = fc.option(fc.record({ usd: price, at: fc.integer({ min: 0, max: 3_600 }).map(ago) }));
    fc.assert(
      fc.property(several, rules, last, (ticks, given, lastGood) => {
        const judgement = judgeFigure(ticks, lastGood, given, NOW);
        const reversed = judgeFigure(ticks.toReversed(), lastGood, given, NOW);
        expect(reversed.kind).toBe(judgement.kind);
        if (judgement.kind !== 'GOOD' || reversed.kind !== 'GOOD') return;
        expect(reversed.usd).toBe(judgement.usd);
        const sorted = judgement.ticks.map(({ usd: each }) => each).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        expect(judgement.usd).toBeGreaterThanOrEqual(sorted[0] ?? 0n);
        expect(judgement.usd).toBeLessThanOrEqual(sorted.at(-1) ?? 0n);
        expect(judgement.usd).toBeGreaterThan(0n);
      }),
      { numRuns: 2_000 },
    );
  });
});
