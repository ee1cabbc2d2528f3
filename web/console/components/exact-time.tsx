// A time to the second, in the reader's language and time zone, for logs: what came before what is what they are read
// for.

import type { ReactNode } from 'react';

const SECONDS = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

export function ExactTime({ value }: { readonly value: string }): ReactNode {
  return (
    <time dateTime={value} title={value}>
      {SECONDS.format(new Date(value))}
    </time>
  );
}
