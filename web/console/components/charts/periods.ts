// The periods of a report's range by their names, so that a chart shows those in which nothing came in.

import type { ReportUnit } from '../../generated/operations.ts';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** Of ISO weeks: the one that Thursday lies in says the year. */
const THURSDAY = 4;
/** More bars than this are no picture: the chart then shows those that have income. */
const MOST = 400;

/**
 * Every period from one day to another, both included, oldest first: `2026-11-21`, `2026-W47`, `2026-11`. Null where
 * there would be too many to draw, or a day is missing.
 */
export function periodsBetween(from: string, to: string, unit: ReportUnit): string[] | null {
  const [start, end] = [Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`)];
  if (!(start <= end) || (end - start) / DAY_MS > MOST * { DAY: 1, WEEK: 7, MONTH: 28 }[unit]) return null;
  const names = new Set<string>();
  for (let at = start; at <= end; at += DAY_MS) names.add(NAMES[unit](new Date(at)));
  return [...names];
}

const NAMES: Readonly<Record<ReportUnit, (day: Date) => string>> = {
  DAY: (day) => day.toISOString().slice(0, 10),
  WEEK: weekOf,
  MONTH: (day) => day.toISOString().slice(0, 7),
};

/** The ISO week of a day (ISO 8601): weeks begin on Monday. */
function weekOf(day: Date): string {
  const weekday = day.getUTCDay() || WEEK_DAYS;
  const thursday = new Date(day.getTime() + (THURSDAY - weekday) * DAY_MS);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / DAY_MS / WEEK_DAYS) + 1;
  return `${String(thursday.getUTCFullYear())}-W${String(week).padStart(2, '0')}`;
}
