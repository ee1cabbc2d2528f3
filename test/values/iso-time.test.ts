// Times as text: the same as JavaScript's own, for every representable time.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isoTime } from '../../src/values/formats/iso-time.ts';

describe('isoTime', () => {
  it('writes every date as toISOString does, whatever was written before it', () => {
    fc.assert(
      fc.property(fc.array(fc.date({ noInvalidDate: true }), { minLength: 1 }), (dates) => {
        expect(dates.map(isoTime)).toEqual(dates.map((date) => date.toISOString()));
      }),
      { numRuns: 300 },
    );
  });

  it('holds at the ends of days, before 1970 and beyond four digits of years', () => {
    const times = [
      0, -1, 1, 86_399_999, 86_400_000, -86_400_000, -62_167_219_200_001, 253_402_300_800_000, 8.64e15, -8.64e15,
    ];
    for (const time of times) expect(isoTime(new Date(time))).toBe(new Date(time).toISOString());
  });

  it('refuses an invalid date, and writes the next as usual', () => {
    expect(() => isoTime(new Date(NaN))).toThrow(RangeError);
    expect(isoTime(new Date(1_000))).toBe('1970-01-01T00:00:01.000Z');
  });
});
