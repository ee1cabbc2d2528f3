// Whether the browser's tab is out of sight.

import { useSyncExternalStore } from 'react';

function follow(turned: () => void): () => void {
  document.addEventListener('visibilitychange', turned);
  return () => document.removeEventListener('visibilitychange', turned);
}

export const useHidden = (): boolean => useSyncExternalStore(follow, () => document.visibilityState === 'hidden');
