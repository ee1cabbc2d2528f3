// CSV as in RFC 4180, with nothing that a spreadsheet would run.

import { describe, expect, it } from '@jest/globals';
import { toCsv } from '../../src/values/formats/csv.ts';

const cell = (value: unknown) => toCsv(['a'], [{ a: value }]).split('\r\n')[1];

describe('toCsv', () => {
  it('is a header and a line a row, each ended by CRLF, columns in their order', () => {
    expect(
      toCsv(
        ['b', 'a'],
        [
          { a: 1, b: 'x' },
          { a: null, b: undefined },
        ],
      ),
    ).toBe('b,a\r\nx,1\r\n,\r\n');
    expect(toCsv(['a'], [])).toBe('a\r\n');
  });

  it.each([
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
  ])('%j is quoted', (text, expected) => {
    expect(toCsv(['a'], [{ a: text }])).toBe(`a\r\n${expected}\r\n`);
  });

  it.each(['=1+1', '+1-1', '-1+1', '@SUM(A1)', '\tx', '-'])('%j is no formula', (text) => {
    expect(cell(text)?.replace(/^"/, '')).toMatch(/^'/);
  });

  it.each(['-5', '-0.25', '12', '0'])('%s stays a number', (text) => {
    expect(cell(text)).toBe(text);
  });
});
