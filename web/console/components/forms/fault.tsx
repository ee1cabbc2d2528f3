// What went wrong with an operation, with times as people read them and a link to the page that helps.

import { useContext, type ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { Link } from 'wouter';
import { helpFor, messageOf } from '../../errors.ts';
import { SessionContext } from '../../session.ts';
import { Time } from '../time.tsx';

const TIME = /(\d{4}-\d\d-\d\dT[\d:.]+Z)/;

export function Fault({ error }: { readonly error: CombinedError }): ReactNode {
  const session = useContext(SessionContext);
  const help = helpFor(error);
  const isHelped = help !== null && session !== null && (help.needs === undefined || session.may(help.needs));
  return (
    <>
      {messageOf(error)
        .split(TIME)
        .map((part, at) => (at % 2 === 1 ? <Time key={at} value={part} isExact /> : part))}
      {isHelped && (
        <>
          {' '}
          <Link href={help.href}>{help.words}</Link>
        </>
      )}
    </>
  );
}
