// How long ago something was, or how long something lasts yet, in a few letters that change as time goes on; the
// tooltip has the exact time.

import type { ReactNode } from 'react';
import { useNow } from './hooks/use-now.ts';

/** The units by the number of seconds that the next larger one takes over at. */
const UNITS = [
  [60, 1, 's'],
  [3_600, 60, 'min'],
  [345_600, 3_600, 'h'],
  [Infinity, 86_400, 'days'],
] as const;

function inUnits(seconds: number): string {
  const [, size, unit] = UNITS.find(([below]) => seconds < below) ?? UNITS[3];
  return `${String(Math.floor(seconds / size))} ${unit}`;
}

export function Age({ since }: { readonly since: string }): ReactNode {
  // A clock that is behind the gateway's makes nothing younger than now.
  const words = useNow((now) => inUnits(Math.max(0, Math.floor((now - Date.parse(since)) / 1_000))));
  return (
    <time dateTime={since} title={new Date(since).toLocaleString()}>
      {words}
    </time>
  );
}

/** How long it is until a time, which may be over. */
export function TimeLeft({ until }: { readonly until: Date }): ReactNode {
  const words = useNow((now) => {
    const seconds = Math.floor((until.getTime() - now) / 1_000);
    return seconds > 0 ? inUnits(seconds) : 'over';
  });
  return (
    <time dateTime={until.toISOString()} title={until.toLocaleString()}>
      {words}
    </time>
  );
}
