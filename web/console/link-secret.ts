// The secret in the fragment of the link of a mail. Once read, it is taken out of the address bar and of the history.

import { useSyncExternalStore } from 'react';

/** Undefined until it is read. */
let secret: string | null | undefined;

function take(): string | null {
  const found = location.hash.slice(1);
  if (found === '') return null;
  history.replaceState(null, '', location.pathname + location.search);
  return found;
}

const read = (): string | null => (secret === undefined ? (secret = take()) : secret);

/** Another link that is opened in the same tab only changes the fragment. */
function subscribe(listener: () => void): () => void {
  const onChange = () => {
    secret = take() ?? secret;
    listener();
  };
  addEventListener('hashchange', onChange);
  return () => removeEventListener('hashchange', onChange);
}

/** The secret of the link that led to this page; null without one. */
export const useLinkSecret = (): string | null => useSyncExternalStore(subscribe, read);
