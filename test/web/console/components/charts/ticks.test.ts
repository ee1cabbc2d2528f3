// The numbers beside a chart and the names below it.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { namedPlaces, ticksUpTo } from '../../../../../web/console/components/charts/ticks.ts';

describe('the numbers of a scale', () => {
  it.each([
    [0, [0, 1]],
    [Number.NaN, [0, 1]],
    [1, [0, 0.25, 0.5, 0.75, 1]],
    [4, [0, 1, 2, 3, 4]],
    [4.1, [0, 2, 4, 6]],
    [2500.5, [0, 1000, 2000, 3000]],
    [100, [0, 25, 50, 75, 100]],
  ])('up to %d', (most, ticks) => {
    expect(ticksUpTo(most)).toEqual(ticks);
  });

  it('reach the largest value with five numbers at most, less than one step above it', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-12, max: 1e15, noNaN: true }), (most) => {
        const ticks = ticksUpTo(most);
        const [last = 0, before = 0] = [ticks.at(-1), ticks.at(-2)];
        expect(ticks.length).toBeLessThanOrEqual(5);
        expect(last).toBeGreaterThanOrEqual(most * (1 - 1e-8));
        expect(before).toBeLessThan(most);
      }),
    );
  });
});

describe('the names that fit', () => {
  it.each([
    [1, 0, [0]],
    [30, 1000, [1, 4, 7, 10, 13, 16, 19, 22, 25, 28]],
    [30, 300, [2, 10, 18, 26]],
    [3, 1000, [0, 1, 2]],
  ])('of %i periods on %i pixels', (count, width, places) => {
    expect(namedPlaces(count, width, 72)).toEqual(places);
  });
});
