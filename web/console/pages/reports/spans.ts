// The times that reports are read for by name, and the time before each that it is compared with.

/** Days in UTC, both included: `2026-11-01`. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

export const TIMES = [
  ['30_DAYS', 'Last 30 days'],
  ['THIS_MONTH', 'This month'],
  ['LAST_MONTH', 'Last month'],
  ['THIS_YEAR', 'This year'],
  ['LAST_YEAR', 'Last year'],
] as const;
export type Time = (typeof TIMES)[number][0];

const DAY_MS = 86_400_000;
const DAYS = 30;

/** The days of a time, seen from a moment in Unix milliseconds. */
export function spanOf(time: Time, now = Date.now()): Span {
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  const spans: Readonly<Record<Time, readonly [from: number, to: number]>> = {
    '30_DAYS': [now - (DAYS - 1) * DAY_MS, now],
    THIS_MONTH: [Date.UTC(year, month), now],
    LAST_MONTH: [Date.UTC(year, month - 1), Date.UTC(year, month, 0)],
    THIS_YEAR: [Date.UTC(year, 0), now],
    LAST_YEAR: [Date.UTC(year - 1, 0), Date.UTC(year, 0, 0)],
  };
  return spanBetween(...spans[time]);
}

/** The name of the time that these days are; null for any others. */
export function timeOf({ from, to }: Span, now = Date.now()): Time | null {
  const same = TIMES.find(([time]) => {
    const span = spanOf(time, now);
    return span.from === from && span.to === to;
  });
  return same?.[0] ?? null;
}

/**
 * What days are compared with: whole months with as many months before them, the days of a month or a year so far with
 * the same days of the one before, and others with as many days before them. Null where a day is missing.
 */
export function spanBefore({ from, to }: Span): Span | null {
  const [first, last] = [Date.parse(`${from}T00:00:00Z`), Date.parse(`${to}T00:00:00Z`)];
  if (!(first <= last)) return null;
  const [start, end] = [new Date(first), new Date(last)];
  const months = monthOf(end) - monthOf(start) + 1;
  const isWhole = new Date(last + DAY_MS).getUTCDate() === 1;
  if (start.getUTCDate() === 1 && isWhole) return spanBetween(dayOf(monthOf(start) - months, 1), first - DAY_MS);
  const back = monthsSoFar(start, end);
  if (back !== null) return spanBetween(dayOf(monthOf(start) - back, 1), dayOf(monthOf(end) - back, end.getUTCDate()));
  return spanBetween(first - (last - first) - DAY_MS, first - DAY_MS);
}

/** How many months a time has of which these are the days so far: one, or a year's twelve; null for other days. */
function monthsSoFar(start: Date, end: Date): number | null {
  if (start.getUTCDate() !== 1 || start.getUTCFullYear() !== end.getUTCFullYear()) return null;
  if (start.getUTCMonth() === end.getUTCMonth()) return 1;
  return start.getUTCMonth() === 0 ? 12 : null;
}

/** Months since the year 0. */
const monthOf = (day: Date): number => 12 * day.getUTCFullYear() + day.getUTCMonth();

/** A day of a month, or the month's last one where it has fewer. */
function dayOf(month: number, day: number): number {
  const [year, ofYear] = [Math.floor(month / 12), month % 12];
  return Math.min(Date.UTC(year, ofYear, day), Date.UTC(year, ofYear + 1, 0));
}

const spanBetween = (from: number, to: number): Span => ({ from: written(from), to: written(to) });
const written = (at: number): string => new Date(at).toISOString().slice(0, 10);
