// Throttles an action: many changes at once cause one call.

import { useCallback, useEffect, useRef } from 'react';

const SECOND_MS = 1_000;
/** What comes at once is one change. */
const AT_ONCE_MS = 100;

/**
 * Returns a function that runs `work` soon, and at most once in `everyMs`. Further calls put it off no longer: however
 * fast changes come, what they cause is never much older than that. It waits `afterMs` at least.
 */
export function useThrottled(work: () => void, everyMs: number = SECOND_MS, afterMs: number = AT_ONCE_MS): () => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const newest = useRef(work);
  const lastAt = useRef(0);
  useEffect(() => {
    newest.current = work;
  }, [work]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return useCallback(() => {
    if (timer.current !== undefined) return;
    const wait = Math.max(afterMs, lastAt.current + everyMs - Date.now());
    timer.current = setTimeout(() => {
      timer.current = undefined;
      lastAt.current = Date.now();
      newest.current();
    }, wait);
  }, [everyMs, afterMs]);
}
