// The times of reports: what each is, and what it is compared with.

import { describe, expect, it } from '@jest/globals';
import { spanBefore, spanOf, timeOf, TIMES } from '../../../../web/console/pages/reports/spans.ts';

const at = (day: string) => Date.parse(`${day}T15:04:05Z`);

describe('a time with a name', () => {
  it.each([
    ['30_DAYS', '2026-10-31', '2026-11-29'],
    ['THIS_MONTH', '2026-11-01', '2026-11-29'],
    ['LAST_MONTH', '2026-10-01', '2026-10-31'],
    ['THIS_YEAR', '2026-01-01', '2026-11-29'],
    ['LAST_YEAR', '2025-01-01', '2025-12-31'],
  ] as const)('%s is from %s to %s', (time, from, to) => {
    expect(spanOf(time, at('2026-11-29'))).toEqual({ from, to });
  });

  it('crosses the year', () => {
    expect(spanOf('LAST_MONTH', at('2027-01-01'))).toEqual({ from: '2026-12-01', to: '2026-12-31' });
  });

  it.each(['2026-11-29', '2028-02-29', '2026-03-31', '2026-12-31', '2027-06-30'])(
    'is found by its days, on %s',
    (day) => {
      for (const [time] of TIMES) {
        const span = spanOf(time, at(day));
        const found = timeOf(span, at(day));
        // On the thirtieth of some months two names mean the same days.
        expect(found === null ? null : spanOf(found, at(day))).toEqual(span);
      }
      expect(timeOf({ from: day, to: day }, at(day))).toBeNull();
    },
  );
});

describe('the time before', () => {
  it.each([
    ['2026-10-01', '2026-10-31', '2026-09-01', '2026-09-30', 'a month'],
    ['2026-01-01', '2026-03-31', '2025-10-01', '2025-12-31', 'a quarter'],
    ['2025-01-01', '2025-12-31', '2024-01-01', '2024-12-31', 'a year'],
    ['2026-02-01', '2026-02-28', '2026-01-01', '2026-01-31', 'a short month'],
    ['2026-11-01', '2026-11-29', '2026-10-01', '2026-10-29', 'a month so far'],
    ['2026-03-01', '2026-03-30', '2026-02-01', '2026-02-28', 'a month so far, after a shorter one'],
    ['2026-01-01', '2026-11-29', '2025-01-01', '2025-11-29', 'a year so far'],
    ['2028-01-01', '2028-02-29', '2027-11-01', '2027-12-31', 'two whole months'],
    ['2026-10-31', '2026-11-29', '2026-10-01', '2026-10-30', 'thirty days'],
    ['2026-11-29', '2026-11-29', '2026-11-28', '2026-11-28', 'a day'],
  ])('of %s to %s is %s to %s: %s', (from, to, first, last) => {
    expect(spanBefore({ from, to })).toEqual({ from: first, to: last });
  });

  it.each([
    ['', '2026-11-29'],
    ['2026-11-29', ''],
    ['2026-11-29', '2026-11-28'],
  ])('is none without days: from %p to %p', (from, to) => {
    expect(spanBefore({ from, to })).toBeNull();
  });
});
