// What amounts and times are shown as: no digit that counts is lost, and nothing passes through a float.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareAmounts, shortened, significant, written } from '../../../../web/console/amounts.ts';
import { agoOf, exactly } from '../../../../web/console/components/hooks/ago.ts';

describe('an amount', () => {
  it.each([
    ['25', 'USDT', '25.00'],
    ['25.5', 'USDT', '25.50'],
    ['1234567.891', 'EUR', '1,234,567.891'],
    ['25.500000', 'USDC', '25.50'],
    ['-3', 'USDT', '-3.00'],
    ['0', 'BTC', '0.00'],
    ['1500', 'JPY', '1,500'],
    ['1500.000', 'JPY', '1,500'],
    ['1.359270000000000001', 'ETH', '1.359270000000000001'],
    ['99999999999999999999.000000000000000001', 'ETH', '99,999,999,999,999,999,999.000000000000000001'],
  ])('%s %s is written %s', (amount, currency, shown) => {
    expect(written(amount, currency)).toBe(shown);
  });

  it.each([
    ['1.359270000000000001', '1.35927'],
    ['1.123456789', '1.12345678'],
    ['0.000000000000000001', '0.000000000000000001'],
    ['-0.000000001', '-0.000000001'],
    ['0', '0.00'],
    ['7.029', '7.029'],
  ])('%s in a column is %s', (amount, shown) => {
    expect(shortened(amount, 'ETH')).toBe(shown);
  });

  it.each([
    ['55000', '55000'],
    ['2931.123456789012', '2931.12'],
    ['0.999999999999', '1'],
    ['0.001234567890', '0.00123457'],
    ['1234567.5', '1234568'],
    ['0.25', '0.25'],
    ['1.100000000000', '1.1'],
  ])('%s as a rate is %s', (rate, shown) => {
    expect(significant(rate)).toBe(shown);
  });

  const amounts = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.stringMatching(/^\d{1,18}$/))
    .map(([whole, fraction]) => `${String(whole)}.${fraction}`);

  it('keeps its value, and in a column what is above its eighth decimal', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const [whole, short] = [written(amount, 'ETH'), shortened(amount, 'ETH')].map((text) =>
          text.replaceAll(',', ''),
        );
        expect(compareAmounts(whole ?? '', amount)).toBe(0);
        expect(compareAmounts(short ?? '', amount)).toBeLessThanOrEqual(0);
        expect((short ?? '').split('.')[0]).toBe(amount.split('.')[0]);
      }),
    );
  });
});

describe('a time', () => {
  const NOW = Date.UTC(2026, 10, 29, 12);
  const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1_000);

  it.each([
    [0, 'just now'],
    [44, 'just now'],
    // Our clock may be behind the gateway's.
    [-30, 'just now'],
    [45, '1 min ago'],
    [119, '1 min ago'],
    [120, '2 min ago'],
    [3_599, '59 min ago'],
    [3_600, '1 h ago'],
    [86_399, '23 h ago'],
    [86_400, '1 day ago'],
    [2 * 86_400, '2 days ago'],
    [7 * 86_400 - 1, '6 days ago'],
  ])('of %d seconds ago is %s', (seconds, words) => {
    expect(agoOf(at(seconds), NOW)).toBe(words);
  });

  it('of a week ago is its day, and one to come has its time of day', () => {
    expect(agoOf(at(7 * 86_400), NOW)).toMatch(/2026/);
    expect(agoOf(at(7 * 86_400), NOW)).not.toMatch(/ago|:/);
    expect(agoOf(at(-600), NOW)).toBe(exactly(at(-600)));
    expect(exactly(at(-600))).toMatch(/:/);
  });
});
