// Looks again and again at what nobody tells us of, while it is worth it and the page is seen.

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
