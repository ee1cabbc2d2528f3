// How long ago something was, in a few letters that change as it ages; the tooltip has the exact time.

import type { ReactNode } from 'react';
import { useNow } from './hooks/use-now.ts';

const EVERY_MS = 5_000;

/** The units by the number of seconds that the next larger one takes over at. */
const UNITS = [
  [60, 1, 's'],
  [3_600, 60, 'min'],
  [172_800, 3_600, 'h'],
  [Infinity, 86_400, 'days'],
] as const;

export function Age({ since }: { readonly since: string }): ReactNode {
  // A clock that is behind the gateway's makes nothing younger than now.
  const seconds = Math.max(0, Math.floor((useNow(EVERY_MS) - Date.parse(since)) / 1_000));
  const [, size, unit] = UNITS.find(([below]) => seconds < below) ?? UNITS[3];
  return (
    <time dateTime={since} title={new Date(since).toLocaleString()}>
      {Math.floor(seconds / size)} {unit}
    </time>
  );
}
