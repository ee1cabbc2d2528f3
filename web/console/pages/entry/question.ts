// The question for a factor that the gateway leads to after a sign-in by a provider. It stands in the address's
// fragment, which is sent to nobody; once read, it is taken out of the address bar and of the history.

import type { ChallengeFragment } from '../../generated/operations.ts';

const NAME = '#question=';

/** Reads the question, once; null without one. */
function take(): ChallengeFragment | null {
  if (!location.hash.startsWith(NAME)) return null;
  const encoded = location.hash.slice(NAME.length).replaceAll('-', '+').replaceAll('_', '/');
  history.replaceState(null, '', location.pathname + location.search);
  try {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.codePointAt(0) ?? 0);
    const { id, factors, passkey } = JSON.parse(new TextDecoder().decode(bytes)) as Partial<ChallengeFragment>;
    return typeof id === 'string' && Array.isArray(factors) ? { id, factors, passkey: passkey ?? null } : null;
  } catch {
    return null;
  }
}

/** The question that this page was opened with; null without one. */
export const askedFactor: ChallengeFragment | null = take();
