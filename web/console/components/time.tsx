// A time in the reader's language and time zone: how long ago it was, for a week, and then its date. The tooltip and
// the markup have the exact one.

import type { ReactNode } from 'react';
import { useNow } from './hooks/use-now.ts';

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const RECENT_S = 45;
const WEEK_S = 7 * DAY_S;

interface TimeProps {
  /** In ISO 8601. */
  readonly value: string;
  /**
   * Shows the day and the time of day: for records that are compared with others, and after words such as "until".
   * Times to come are always shown so.
   */
  readonly isExact?: boolean;
}

export function Time({ value, isExact = false }: TimeProps): ReactNode {
  const moment = new Date(value);
  const words = useNow((now) => (isExact ? SHORT.format(moment) : agoOf(moment, now)));
  return (
    <time dateTime={value} title={LONG.format(moment)}>
      {words}
    </time>
  );
}

function agoOf(moment: Date, now: number): string {
  const seconds = Math.floor((now - moment.getTime()) / 1_000);
  // Its clock may be behind the gateway's.
  if (seconds < -RECENT_S) return SHORT.format(moment);
  if (seconds < RECENT_S) return 'just now';
  if (seconds < HOUR_S) return `${String(Math.max(1, Math.floor(seconds / MINUTE_S)))} min ago`;
  if (seconds < DAY_S) return `${String(Math.floor(seconds / HOUR_S))} h ago`;
  if (seconds < WEEK_S) return seconds < 2 * DAY_S ? '1 day ago' : `${String(Math.floor(seconds / DAY_S))} days ago`;
  return DAY.format(moment);
}
