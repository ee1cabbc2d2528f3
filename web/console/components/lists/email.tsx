// An e-mail address, which has a place to be broken where it has no room: before its @.

import type { ReactNode } from 'react';

/** Longer parts have to be broken somewhere. */
const LONGEST_PART = 24;

export function Email({ address }: { readonly address: string }): ReactNode {
  const at = address.lastIndexOf('@');
  const parts = at < 0 ? [address] : [address.slice(0, at), address.slice(at)];
  return (
    <span className={parts.some(({ length }) => length > LONGEST_PART) ? 'email long' : 'email'}>
      {parts[0]}
      <wbr />
      {parts[1]}
    </span>
  );
}
