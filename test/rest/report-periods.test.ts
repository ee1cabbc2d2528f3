// Dividing a report's time: the parts leave nothing out, do not overlap, and cut no period in two.

import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { partsOf } from '../../src/rest/report-periods.ts';

const DAY_MS = 86_400_000;
const FIRST = Date.parse('1999-12-01T00:00:00Z');
const instant = fc.integer({ min: FIRST, max: Date.parse('2040-01-01T00:00:00Z') });
const length = fc.integer({ min: 1, max: 3_660 * DAY_MS });

/** Whether an instant begins a period. */
const BEGINS = {
  day: (at: Date) => at.getTime() % DAY_MS === 0,
  week: (at: Date) => at.getTime() % DAY_MS === 0 && at.getUTCDay() === 1,
  month: (at: Date) => at.getTime() % DAY_MS === 0 && at.getUTCDate() === 1,
};

it.each(['day', 'week', 'month'] as const)('by %s', (unit) => {
  fc.assert(
    fc.property(instant, length, (start, ms) => {
      const [from, to] = [new Date(start), new Date(start + ms)];
      const parts = [...partsOf({ from, to }, unit)];
      expect(parts[0]?.from).toEqual(from);
      expect(parts.at(-1)?.to).toEqual(to);
      for (const [nth, part] of parts.entries()) {
        expect(part.to.getTime()).toBeGreaterThan(part.from.getTime());
        expect((part.to.getTime() - part.from.getTime()) / DAY_MS).toBeLessThanOrEqual(366);
        if (nth > 0) expect(part.from).toEqual(parts[nth - 1]?.to);
        if (nth > 0) expect(BEGINS[unit](part.from)).toBe(true);
      }
      expect(parts.length).toBeLessThanOrEqual(42);
    }),
  );
});
