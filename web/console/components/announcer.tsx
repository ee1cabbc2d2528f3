// Announces what was done, briefly, on the screen and to screen readers.

import { useEffect, useSyncExternalStore, type ReactNode } from 'react';

const SHOWN_MS = 5_000;

let message = '';
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Announces a short sentence, such as "Copied". */
export function announce(text: string): void {
  show(text);
  clearTimeout(timer);
  timer = setTimeout(() => show(''), SHOWN_MS);
}

/** Clears the announcement when a dialog opens: on a phone it would cover the dialog's buttons. */
export function useHush(isOpen: boolean): void {
  useEffect(() => {
    if (isOpen) show('');
  }, [isOpen]);
}

function show(text: string): void {
  message = text;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The live region. It is always in the document, once: a region that appears with its text is not read out. */
export function Announcer(): ReactNode {
  const text = useSyncExternalStore(subscribe, () => message);
  return (
    <div className="announcer" role="status" aria-live="polite">
      {text && <p>{text}</p>}
    </div>
  );
}
