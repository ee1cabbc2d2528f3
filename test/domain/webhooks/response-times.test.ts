// Percentiles of durations that are counted by classes are within a tenth of the measured ones.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CLASSES, classOf, percentileOf } from '../../../src/domain/webhooks/response-times.ts';

function count(durations: readonly number[]): number[] {
  const counts = new Array<number>(CLASSES).fill(0);
  for (const ms of durations) counts[classOf(ms)] = (counts[classOf(ms)] ?? 0) + 1;
  return counts;
}

describe('response times', () => {
  it('have no percentile where nothing was counted', () => {
    expect(percentileOf([], 0.95)).toBeNull();
    expect(percentileOf(count([]), 0.5)).toBeNull();
  });

  it.each([0.5, 0.95, 1])('the percentile %d is within a tenth of that of the durations', (share) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 200 }), (durations) => {
        const exact = [...durations].sort((one, other) => one - other)[Math.ceil(durations.length * share) - 1] ?? 0;
        const told = percentileOf(count(durations), share) ?? Number.NaN;
        // A millisecond more or less is what rounding makes.
        expect(Math.abs(told - exact)).toBeLessThanOrEqual(exact * 0.1 + 1);
      }),
    );
  });

  it('of any length have a class', () => {
    for (const ms of [0, 1, 6_000, 2 ** 31]) expect(classOf(ms)).toBeLessThan(CLASSES);
  });
});
