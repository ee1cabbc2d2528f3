// Whatever a feed answers, what is read in it is a positive price that its column takes, and no time in the future.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FEED_KINDS, MOST_AHEAD_MS, readFeed } from '../../../src/values/feeds/feeds.ts';
import type { Tick } from '../../../src/values/feeds/tick.ts';
import { isPriced } from '../../../src/values/feeds/tick.ts';
import { fitsUsd } from '../../../src/values/prices/price.ts';
import { RECORDED_FEEDS, recordingOf } from './recordings.fixture.ts';

const NOW = new Date('2026-11-27T12:00:00Z');
const ODD = [
  '0',
  '-1',
  'NaN',
  '1e-7',
  '1e999',
  '9'.repeat(60),
  '"',
  '{}',
  '[',
  'null',
  '"1"',
  "'",
  '<',
  '\\',
  '\0',
  '😀',
];

/** The ticks of a body; none if it is refused, which must be by an error of ours or of the parser. */
function readLeniently(feed: (typeof RECORDED_FEEDS)[number], body: string): Tick[] {
  try {
    return readFeed(FEED_KINDS[feed], body, NOW);
  } catch (error) {
    expect([Error, SyntaxError]).toContain((error as Error).constructor);
    return [];
  }
}

describe.each(RECORDED_FEEDS)('an answer of %s', (feed) => {
  it('with anything put in the place of anything', () => {
    const body = recordingOf(feed);
    const place = fc.nat({ max: body.length });
    fc.assert(
      fc.property(place, fc.nat({ max: 12 }), fc.oneof(fc.constantFrom(...ODD), fc.string()), (from, length, odd) => {
        const ticks = readLeniently(feed, body.slice(0, from) + odd + body.slice(from + length));
        for (const { code, usd, at } of ticks) {
          expect([isPriced(code), fitsUsd(usd)]).toEqual([true, true]);
          expect(at.getTime()).toBeLessThanOrEqual(NOW.getTime() + MOST_AHEAD_MS);
        }
        expect(new Set(ticks.map(({ code }) => code)).size).toBe(ticks.length);
      }),
      { numRuns: 500 },
    );
  });
});
