// What an entry of a log says: what was done to what, and more of it in plain values.

import type { ReactNode } from 'react';

interface WhatProps {
  /** In capitals, such as `API_KEY_CREATED`. */
  readonly action: string;
  /** The id of what it was done to. */
  readonly target: string | null | undefined;
}

/** `API_KEY_CREATED` → `API key created`. */
const words = (action: string): string =>
  (action.charAt(0) + action.slice(1).toLowerCase().replaceAll('_', ' ')).replace(/^Api /, 'API ');

export const What = ({ action, target }: WhatProps): ReactNode => (
  <span>
    {words(action)} {target != null && <code className="quietly below">{target}</code>}
  </span>
);

export function Details({ details }: { readonly details: Readonly<Record<string, unknown>> }): ReactNode {
  const told = Object.entries(details).filter(([, value]) => value !== null);
  if (told.length === 0) return <span className="quietly">No details</span>;
  return <code className="quietly">{told.map(([name, value]) => `${name}: ${inWords(value)}`).join(', ')}</code>;
}

const inWords = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
