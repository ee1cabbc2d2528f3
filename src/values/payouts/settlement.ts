// When a settlement rule pays, and how much: functions of the rule and the clock (contract-people-payouts, section D).
// Pure.

import { roomOf, type AssetLimits, type PayoutUse } from './policy.ts';

export const SETTLEMENT_SCHEDULES = ['ON_THRESHOLD', 'DAILY', 'WEEKLY', 'MONTHLY'] as const;
export type SettlementSchedule = (typeof SETTLEMENT_SCHEDULES)[number];

/** When a rule pays, all times in UTC. */
export interface SettlementTime {
  readonly schedule: SettlementSchedule;
  /** 0 to 23; null for ON_THRESHOLD. */
  readonly hour: number | null;
  /** WEEKLY: 1 (Monday) to 7. MONTHLY: 1 to 28. Null for the others. */
  readonly day: number | null;
}

/** What of a schedule's hour and day is missing, or does not belong to it. */
export function settlementFaults({
  schedule,
  hour,
  day,
}: SettlementTime): { field: 'hour' | 'day'; message: string }[] {
  const needsDay = schedule === 'WEEKLY' || schedule === 'MONTHLY';
  const faultOf = (field: 'hour' | 'day', isGiven: boolean, isNeeded: boolean) =>
    isGiven === isNeeded ? [] : [{ field, message: `${isNeeded ? 'is needed' : 'has no meaning'} for ${schedule}` }];
  const isLate = schedule === 'WEEKLY' && day !== null && day > 7;
  return [
    ...faultOf('hour', hour !== null, schedule !== 'ON_THRESHOLD'),
    ...faultOf('day', day !== null, needsDay),
    ...(isLate ? [{ field: 'day', message: 'must be from 1 (Monday) to 7' } as const] : []),
  ];
}

/** What a rule has done: how often, and what the last payout came to. */
export interface SettlementPast {
  /** Payouts of the rule so far. */
  readonly runs: number;
  /** The period that was looked at last, paid or not; null for none. */
  readonly lastPeriod: string | null;
  /** Whether a payout of the rule is under way, and when the last one failed or was skipped. */
  readonly isUnderWay: boolean;
  readonly failedAt: Date | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** `2026-11-23` for a day, `2026-W48` for an ISO week, `2026-11` for a month. */
export function periodOf(schedule: Exclude<SettlementSchedule, 'ON_THRESHOLD'>, at: Date): string {
  const date = at.toISOString().slice(0, 10);
  if (schedule === 'DAILY') return date;
  return schedule === 'MONTHLY' ? date.slice(0, 7) : weekOf(at);
}

/** The ISO week (ISO 8601): that of its Thursday. */
function weekOf(at: Date): string {
  const midnight = Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
  const thursday = new Date(midnight + (4 - weekdayOf(at)) * DAY_MS);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / (7 * DAY_MS)) + 1;
  return `${String(thursday.getUTCFullYear())}-W${String(week).padStart(2, '0')}`;
}

/** 1 (Monday) to 7, in UTC. */
export const weekdayOf = (at: Date): number => at.getUTCDay() || 7;

/**
 * The period that a rule pays for now; null if none is due. A rule with an hour is due during that hour: what was
 * missed is left to the next period. One with a threshold alone is due when its last payout has ended, and a day after
 * one that failed.
 */
export function duePeriod({ schedule, hour, day }: SettlementTime, past: SettlementPast, now: Date): string | null {
  if (schedule === 'ON_THRESHOLD') {
    if (past.isUnderWay || (past.failedAt !== null && now.getTime() < past.failedAt.getTime() + DAY_MS)) return null;
    return `n${String(past.runs + 1)}`;
  }
  if (now.getUTCHours() !== hour) return null;
  if (schedule === 'WEEKLY' && weekdayOf(now) !== day) return null;
  if (schedule === 'MONTHLY' && now.getUTCDate() !== day) return null;
  const period = periodOf(schedule, now);
  return period === past.lastPeriod ? null : period;
}

/** Amounts in base units. */
export interface SettlementMoney {
  readonly available: bigint;
  /** What stays. */
  readonly keep: bigint;
  readonly networkFee: bigint;
  /** The most that one payout can be, whatever the policy says. */
  readonly most: bigint;
  /** Of the policy; null where it has none for the asset. */
  readonly limits: AssetLimits | null;
  readonly use: PayoutUse;
}

/** What a rule pays whose threshold is reached: what its policy leaves of the balance, which may be nothing. */
export function settlementAmount({ available, keep, networkFee, most, limits, use }: SettlementMoney): bigint {
  const bounds = [available - keep - networkFee, most];
  if (limits?.perPayout != null) bounds.push(limits.perPayout);
  if (limits?.perDay != null) bounds.push(roomOf(limits.perDay, use));
  const least = bounds.reduce((a, b) => (a < b ? a : b));
  return least > 0n ? least : 0n;
}
