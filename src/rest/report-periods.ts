// Splits a range of time at the ends of report periods, so that no period is in two parts.

const DAY_MS = 86_400_000;

/** A range of time: from an instant up to, but not including, another. */
export interface Span {
  readonly from: Date;
  readonly to: Date;
}

/**
 * Splits a range, in order: into quarters if grouped by day, half-years by week, years by month. The first and the last
 * part may be shorter.
 */
export function* partsOf({ from, to }: Span, unit: 'day' | 'week' | 'month'): Generator<Span, void> {
  for (let start = from; start < to;) {
    const next = endOfPart(start, unit);
    const end = next < to ? next : to;
    yield { from: start, to: end };
    start = end;
  }
}

/** The end of the period that contains an instant. All periods are in UTC. */
function endOfPart(start: Date, unit: 'day' | 'week' | 'month'): Date {
  if (unit === 'day') return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 3, 1));
  if (unit === 'month') return new Date(Date.UTC(start.getUTCFullYear() + 1, start.getUTCMonth(), 1));
  // Weeks begin on Mondays; 5 January 1970 was one.
  const week = Math.floor((start.getTime() / DAY_MS - 4) / 7);
  return new Date(((week + 26) * 7 + 4) * DAY_MS);
}
