// A time in the reader's language and time zone; the tooltip and the markup have the exact one.

import type { ReactNode } from 'react';

const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const LONG = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' });

export function Time({ value }: { readonly value: string }): ReactNode {
  const moment = new Date(value);
  return (
    <time dateTime={value} title={LONG.format(moment)}>
      {SHORT.format(moment)}
    </time>
  );
}
