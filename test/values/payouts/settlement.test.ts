// When a settlement rule pays, and how much.

import { describe, expect, it } from '@jest/globals';
import { duePeriod, periodOf, settlementAmount, type SettlementPast } from '../../../src/values/payouts/settlement.ts';

const NEW: SettlementPast = { runs: 0, lastPeriod: null, isUnderWay: false, failedAt: null };
const at = (text: string) => new Date(`${text}Z`);

describe('a period', () => {
  it.each([
    ['DAILY', '2026-11-23T23:59', '2026-11-23'],
    ['WEEKLY', '2026-11-23T00:00', '2026-W48'],
    ['WEEKLY', '2026-01-01T12:00', '2026-W01'],
    ['WEEKLY', '2027-01-03T12:00', '2026-W53'],
    ['WEEKLY', '2024-12-30T12:00', '2025-W01'],
    ['MONTHLY', '2026-11-23T12:00', '2026-11'],
  ] as const)('of %s at %s is %s', (schedule, time, period) => {
    expect(periodOf(schedule, at(time))).toBe(period);
  });
});

describe('a rule is due', () => {
  it.each([
    [{ schedule: 'DAILY', hour: 6, day: null }, '2026-11-23T06:59', '2026-11-23'],
    [{ schedule: 'DAILY', hour: 6, day: null }, '2026-11-23T07:00', null],
    [{ schedule: 'WEEKLY', hour: 0, day: 1 }, '2026-11-23T00:00', '2026-W48'],
    [{ schedule: 'WEEKLY', hour: 0, day: 7 }, '2026-11-29T00:10', '2026-W48'],
    [{ schedule: 'WEEKLY', hour: 0, day: 2 }, '2026-11-23T00:00', null],
    [{ schedule: 'MONTHLY', hour: 23, day: 28 }, '2026-02-28T23:30', '2026-02'],
    [{ schedule: 'MONTHLY', hour: 23, day: 27 }, '2026-02-28T23:30', null],
  ] as const)('%j at %s: %s', (rule, time, period) => {
    expect(duePeriod(rule, NEW, at(time))).toBe(period);
    if (period !== null) expect(duePeriod(rule, { ...NEW, lastPeriod: period }, at(time))).toBeNull();
  });

  it('on its threshold once the last payout has ended, and a day after one that failed', () => {
    const rule = { schedule: 'ON_THRESHOLD', hour: null, day: null } as const;
    const now = at('2026-11-23T12:00');
    expect(duePeriod(rule, NEW, now)).toBe('n1');
    expect(duePeriod(rule, { ...NEW, runs: 6 }, now)).toBe('n7');
    expect(duePeriod(rule, { ...NEW, runs: 6, isUnderWay: true }, now)).toBeNull();
    expect(duePeriod(rule, { ...NEW, runs: 6, failedAt: at('2026-11-22T12:01') }, now)).toBeNull();
    expect(duePeriod(rule, { ...NEW, runs: 6, failedAt: at('2026-11-22T12:00') }, now)).toBe('n7');
  });
});

describe('its amount', () => {
  const money = { available: 1_250_123_456n, keep: 200_000_000n, networkFee: 1_000_000n, most: 10n ** 12n };
  const free = { ...money, limits: null, use: { total: 0n, unapproved: 0n } };
  it('is what is available less what stays and the fee', () => {
    expect(settlementAmount(free)).toBe(1_049_123_456n);
    expect(settlementAmount({ ...free, available: 201_000_001n })).toBe(1n);
    expect(settlementAmount({ ...free, available: 200_999_999n })).toBe(0n);
  });

  it('is cut to what can be sent at once', () => {
    expect(settlementAmount({ ...free, most: 7n })).toBe(7n);
  });

  it('is cut to the limit of one payout and to the room of a day', () => {
    const limits = { perPayout: 500_000_000n, perDay: 600_000_000n, approvalAbove: null };
    expect(settlementAmount({ ...free, limits })).toBe(500_000_000n);
    expect(settlementAmount({ ...free, limits, use: { total: 450_000_000n, unapproved: 0n } })).toBe(150_000_000n);
    expect(settlementAmount({ ...free, limits, use: { total: 700_000_000n, unapproved: 0n } })).toBe(0n);
  });
});
