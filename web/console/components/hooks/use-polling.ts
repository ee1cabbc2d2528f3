// Polls data that has no live updates, while it can change and the page is visible.

import { useEffect } from 'react';

export function usePolling(isWorthIt: boolean, look: () => void, everyMs: number): void {
  useEffect(() => {
    if (!isWorthIt) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') look();
    }, everyMs);
    return () => clearInterval(timer);
  }, [isWorthIt, look, everyMs]);
}
