// Whether something that has just come is to be drawn yet. Its first drawing, which is the longest, is made in short
// pieces: a page that has asked for many things at once still reacts when somebody presses something.

import { useDeferredValue } from 'react';

/** The value once it is to be drawn, and from then on as it is; nothing before. */
export function useDrawn<Value>(value: Value | null | undefined): Value | undefined {
  const isThere = value !== undefined && value !== null;
  return useDeferredValue(isThere, false) && isThere ? value : undefined;
}
