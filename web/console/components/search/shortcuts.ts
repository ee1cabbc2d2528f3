// The keys that work on every page. Single letters can be switched off: speech input and shaking hands press them by
// accident (WCAG 2.1.4). Those with Ctrl or ⌘ always work.

import { useEffect, useRef, useSyncExternalStore } from 'react';
import { inBrowser } from '../hooks/keeping.ts';

const STORED = 'turnpike/letters-off';
const SECOND_KEY_MS = 1_500;

const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
const areLettersOn = () => inBrowser.read(STORED) === null;

/** Whether single letters do something, in this browser; and how to change it. */
export function useLetters(): readonly [areOn: boolean, set: (areOn: boolean) => void] {
  const areOn = useSyncExternalStore(subscribe, areLettersOn);
  const set = (next: boolean) => {
    if (next) inBrowser.drop(STORED);
    else inBrowser.keep(STORED, 'yes');
    for (const listener of listeners) listener();
  };
  return [areOn, set];
}

interface ShortcutActions {
  readonly search: () => void;
  readonly help: () => void;
  /** Pauses the lists of the page, or shows what they hold back; answers whether there are any. */
  readonly turn: () => boolean;
  /** A letter by itself, or after a `g`; answers whether it means something. */
  readonly go: (letter: string, isAfterG: boolean) => boolean;
}

/** Nothing that is being written in, and no dialog: there each key has its own meaning. */
function isFree({ target }: KeyboardEvent): boolean {
  const isWritten = target instanceof Element && target.closest('input, textarea, select, [contenteditable=true]');
  return !isWritten && document.querySelector('[role=dialog], [role=alertdialog]') === null;
}

export function useShortcuts(actions: ShortcutActions): void {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  useEffect(() => {
    let wentAt = -Infinity;
    const act = (event: KeyboardEvent): boolean => {
      const { search, help, turn, go } = latest.current;
      const { key, ctrlKey, metaKey, altKey } = event;
      if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') {
        search();
        return true;
      }
      if (ctrlKey || metaKey || altKey || event.repeat || !areLettersOn() || !isFree(event)) return false;
      const isAfterG = event.timeStamp - wentAt < SECOND_KEY_MS;
      wentAt = key === 'g' && !isAfterG ? event.timeStamp : -Infinity;
      if (isAfterG) return go(key, true);
      if (key === '/') search();
      else if (key === '?') help();
      else if (key === 'l') return turn();
      else return key !== 'g' && go(key, false);
      return true;
    };
    const listen = (event: KeyboardEvent) => {
      if (act(event)) event.preventDefault();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}
