// Whether an element has come into sight yet, for what takes long to draw and may lie far below. Paper shows all of a
// page: what is printed is in sight.

import { useCallback, useState, type RefCallback } from 'react';
import { flushSync } from 'react-dom';

/** Drawn so much ahead, a part is there before it is scrolled to. */
const AHEAD = '100px';

/** What to give an element as its `ref`, and whether it is or was in sight. */
export function useInSight(): readonly [ref: RefCallback<Element>, isSeen: boolean] {
  const [isSeen, setSeen] = useState(false);
  const ref = useCallback((element: Element | null) => {
    if (!element) return undefined;
    const see = () => {
      setSeen(true);
      stop();
    };
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) see();
      },
      { rootMargin: AHEAD },
    );
    // The browser prints what is there when this returns.
    const print = () => flushSync(see);
    const stop = () => {
      observer.disconnect();
      removeEventListener('beforeprint', print);
    };
    observer.observe(element);
    addEventListener('beforeprint', print);
    return stop;
  }, []);
  return [ref, isSeen];
}
