// How long ago something was, in words.

import { once } from './once.ts';

const day = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }));
const short = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }));

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const RECENT_S = 45;
const WEEK_S = 7 * DAY_S;

/** The day and the time of day, in the reader's language and time zone. */
export const exactly = (moment: Date): string => short().format(moment);

/** For a week, and then the day; a time to come is shown exactly. `now` is in milliseconds. */
export function agoOf(moment: Date, now: number): string {
  const seconds = Math.floor((now - moment.getTime()) / 1_000);
  // Its clock may be behind the gateway's.
  if (seconds < -RECENT_S) return exactly(moment);
  if (seconds < RECENT_S) return 'just now';
  if (seconds < HOUR_S) return `${String(Math.max(1, Math.floor(seconds / MINUTE_S)))} min ago`;
  if (seconds < DAY_S) return `${String(Math.floor(seconds / HOUR_S))} h ago`;
  if (seconds < WEEK_S) return seconds < 2 * DAY_S ? '1 day ago' : `${String(Math.floor(seconds / DAY_S))} days ago`;
  return day().format(moment);
}
