// A time in the reader's language and time zone: how long ago it was, for a week, and then its date. The tooltip and
// the markup have the exact one.

import type { ReactNode } from 'react';
import { agoOf, exactly } from './hooks/ago.ts';
import { once } from './hooks/once.ts';
import { useNow } from './hooks/use-now.ts';

const long = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' }));

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
  const words = useNow((now) => (isExact ? exactly(moment) : agoOf(moment, now)));
  return (
    <time
      dateTime={value}
      onPointerEnter={({ currentTarget }) => {
        currentTarget.title = long().format(moment);
      }}
    >
      {words}
    </time>
  );
}
