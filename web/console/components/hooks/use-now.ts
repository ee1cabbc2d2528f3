// What depends on the time of the browser's clock, which goes on by itself: one timer for the whole page, which runs
// while something depends on it.

import { useSyncExternalStore } from 'react';

const EVERY_MS = 5_000;

let now = 0;
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}

function follow(listener: () => void): () => void {
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(tick, EVERY_MS);
    // A page in the background is told rarely; it is right as soon as it is looked at.
    document.addEventListener('visibilitychange', tick);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener('visibilitychange', tick);
  };
}

/** What `words` makes of the time in milliseconds, which is at most five seconds old; drawn again when it changes. */
export function useNow(words: (now: number) => string): string {
  return useSyncExternalStore(follow, () => words(timer === undefined ? Date.now() : now));
}
