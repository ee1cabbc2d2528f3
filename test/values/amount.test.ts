// Amounts: decimal strings to base units and back, never through floats, with explicit rounding.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decimalsOf, feeOf, formatAmount, isDecimal, lessTolerance, parseAmount } from '../../src/values/amount.ts';

const decimals = fc.integer({ min: 0, max: 18 });
const units = fc.bigInt({ min: 0n, max: 10n ** 36n - 1n });

describe('isDecimal', () => {
  it.each(['0', '1', '25', '25.00', '0.5', '0.000000000000000001', '999999999999999999.999999999999999999'])(
    '%s is an amount',
    (text) => expect(isDecimal(text)).toBe(true),
  );

  it.each([
    ...[
      '',
      ' ',
      '.',
      '-1',
      '+1',
      '01',
      '00',
      '1.',
      '.5',
      '1e3',
      '1E3',
      '0x10',
      '1,5',
      '1 000',
      '1_000',
      'NaN',
      'Infinity',
    ],
    ...['1234567890123456789', '0.1234567890123456789', '１', '١', '1\n', '1\u0000', '\u22121', '1..0', '1.0.0'],
  ])('%j is not a decimal', (text) => expect(isDecimal(text)).toBe(false));
});

describe('parseAmount and formatAmount', () => {
  it('whatever is written is read back as it was', () => {
    fc.assert(
      fc.property(units, decimals, (amount, places) => {
        const text = formatAmount(amount, places);
        if (amount < 10n ** BigInt(18 + places)) expect(parseAmount(text, places)).toBe(amount);
      }),
    );
  });

  it('whatever is read is written in its one canonical form', () => {
    const whole = fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }).map(String);
    const fraction = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 18 });
    fc.assert(
      fc.property(whole, fraction, (before, after) => {
        const text = after === '' ? before : `${before}.${after}`;
        const canonical = text.includes('.') ? text.replace(/\.?0+$/, '') : text;
        expect(formatAmount(parseAmount(text, 18) ?? -1n, 18)).toBe(canonical);
      }),
    );
  });

  it('order is kept: more is more', () => {
    fc.assert(
      fc.property(units, units, decimals, (a, b, places) => {
        const [x, y] = [formatAmount(a, places), formatAmount(b, places)].map((text) => {
          const [head = '', tail = ''] = text.split('.');
          return head.padStart(40, '0') + tail.padEnd(18, '0');
        });
        expect(Math.sign(Number(a - b))).toBe(x === y ? 0 : (x ?? '') > (y ?? '') ? 1 : -1);
      }),
    );
  });

  it.each([
    ['0.1', 18, 100_000_000_000_000_000n],
    ['0.3', 18, 300_000_000_000_000_000n],
    ['123456789012345678.123456789012345678', 18, 123_456_789_012_345_678_123_456_789_012_345_678n],
    ['9007199254740993', 0, 9_007_199_254_740_993n],
    ['25.100000', 6, 25_100_000n],
    ['1.0000000', 6, 1_000_000n],
  ])('%s with %i decimals is exactly %s: a float would miss it', (text, places, amount) => {
    expect(parseAmount(text, places)).toBe(amount);
  });

  it('more decimals than the asset has are refused, zeros at the end aside', () => {
    fc.assert(
      fc.property(units, fc.integer({ min: 1, max: 18 }), (amount, places) => {
        const text = formatAmount(amount, places);
        fc.pre(isDecimal(text));
        expect(parseAmount(text, places - 1) === null).toBe(decimalsOf(text) > places - 1);
      }),
    );
  });

  it.each([
    [0n, 6, '0'],
    [1n, 6, '0.000001'],
    [25_000_000n, 6, '25'],
    [-250_000n, 6, '-0.25'],
    [100n, 0, '100'],
    [10n ** 36n, 18, '1000000000000000000'],
  ])('%s with %i decimals is written %s', (amount, places, text) => {
    expect(formatAmount(amount, places)).toBe(text);
  });

  it('what is no amount is null and never an error', () => {
    fc.assert(
      fc.property(fc.string(), decimals, (text, places) => {
        if (!isDecimal(text)) expect(parseAmount(text, places)).toBeNull();
      }),
    );
  });
});

describe('feeOf', () => {
  it.each([
    [0n, 0n],
    [1n, 0n],
    [99n, 0n],
    [100n, 1n],
    [199n, 1n],
    [25_000_000n, 250_000n],
    [10n ** 36n + 99n, 10n ** 34n],
  ])('of %s is %s: one percent, rounded down', (amount, fee) => {
    expect(feeOf(amount)).toBe(fee);
  });

  it('is never more than one percent, and less than one unit short of it', () => {
    fc.assert(
      fc.property(units, (amount) => {
        const fee = feeOf(amount);
        expect(fee * 100n <= amount && amount < (fee + 1n) * 100n).toBe(true);
      }),
    );
  });
});

describe('lessTolerance', () => {
  it.each([
    [25_000_000n, 0, 25_000_000n],
    [25_000_000n, 100, 24_750_000n],
    [101n, 50, 101n],
    [3n, 5_000, 2n],
    [1n, 5_000, 1n],
  ])('%s with %i basis points is %s: rounded up', (amount, points, least) => {
    expect(lessTolerance(amount, points)).toBe(least);
  });

  it('never forgives more than the tolerance, nor a whole unit less', () => {
    fc.assert(
      fc.property(units, fc.integer({ min: 0, max: 5_000 }), (amount, points) => {
        const forgiven = (amount - lessTolerance(amount, points)) * 10_000n;
        const allowed = amount * BigInt(points);
        expect(forgiven <= allowed && allowed < forgiven + 10_000n).toBe(true);
      }),
    );
  });
});
