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
  return (
    <span className="long">
      {told.map(([name, value]) => (
        <span key={name} className="below">
          <span className="quietly">{nameOf(name)}:</span> {inWords(value)}
        </span>
      ))}
    </span>
  );
}

/** `endedSessions` → `Ended sessions`, `ipWhitelist` → `IP whitelist`. */
function nameOf(name: string): string {
  const [first = '', ...rest] = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ');
  const begin = /^(ip|url|id)$/.test(first) ? first.toUpperCase() : first.slice(0, 1).toUpperCase() + first.slice(1);
  return [begin, ...rest].join(' ');
}

function inWords(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(inWords).join(', ');
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return 'none';
  const parts = Object.entries(value).map(([name, part]) => `${nameOf(name)} ${inWords(part)}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
