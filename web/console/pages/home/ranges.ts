// The times that the home page can show, and the time before each that it is compared with.

import { periodsBetween } from '../../components/charts/periods.ts';
import type { ReportUnit } from '../../generated/operations.ts';

export const RANGES = [7, 30, 90, 365] as const;
export type RangeDays = (typeof RANGES)[number];

/** Their names, short and spoken. */
export const RANGE_WORDS: Readonly<Record<RangeDays, readonly [short: string, spoken: string]>> = {
  7: ['7 d', '7 days'],
  30: ['30 d', '30 days'],
  90: ['90 d', '90 days'],
  365: ['12 m', '12 months'],
};
const BY_DEFAULT = 30;

const UNIT: Readonly<Record<RangeDays, ReportUnit>> = { 7: 'DAY', 30: 'DAY', 90: 'DAY', 365: 'MONTH' };
const DAY_MS = 86_400_000;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The days of a time, in UTC and both included, and the names of its periods. */
export interface Span {
  readonly from: string;
  readonly to: string;
  readonly periods: readonly string[];
}

export interface Range {
  readonly days: RangeDays;
  readonly unit: ReportUnit;
  readonly now: Span;
  /** As long a time, right before it. */
  readonly before: Span;
}

/** The range with so many days that ends today; the usual one for any other number. */
export function rangeOf(days: number, today = Date.now()): Range {
  const known = RANGES.find((one) => one === days) ?? BY_DEFAULT;
  const unit = UNIT[known];
  const span = (endsAgo: number): Span => {
    const to = today - endsAgo * DAY_MS;
    const [first, last] = [dayOf(to - (known - 1) * DAY_MS), dayOf(to)];
    return { from: first, to: last, periods: periodsBetween(first, last, unit) ?? [] };
  };
  return { days: known, unit, now: span(0), before: span(known) };
}
