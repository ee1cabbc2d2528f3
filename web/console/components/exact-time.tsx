// A time to the second, in the reader's language and time zone, for logs: what came before what is what they are read
// for.

import type { ReactNode } from 'react';
import { once } from './hooks/once.ts';

const seconds = once(() => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }));

export function ExactTime({ value }: { readonly value: string }): ReactNode {
  return (
    <time dateTime={value} title={value}>
      {seconds().format(new Date(value))}
    </time>
  );
}
