// Announces what was done, briefly, on the screen and to screen readers.

import { useEffect, useSyncExternalStore, type ReactNode } from 'react';

const SHOWN_MS = 5_000;

let message = '';
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

/** Says it: a short sentence, such as "Copied". */
export function announce(text: string): void {
  show(text);
  clearTimeout(timer);
  timer = setTimeout(() => show(''), SHOWN_MS);
}

/** Takes back what was said before a dialog opens: on a phone it would stand over the dialog's buttons. */
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

/** Where it is said; once in the console. It is always there: a region that appears with its text is not read out. */
export function Announcer(): ReactNode {
  const text = useSyncExternalStore(subscribe, () => message);
  return (
    <div className="announcer" role="status" aria-live="polite">
      {text && <p>{text}</p>}
    </div>
  );
}
