// Whether the window is as narrow as a phone's, as in the style sheet of the frame.

import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 48rem)');

function follow(turned: () => void): () => void {
  narrow.addEventListener('change', turned);
  return () => narrow.removeEventListener('change', turned);
}

export const useNarrow = (): boolean => useSyncExternalStore(follow, () => narrow.matches);
