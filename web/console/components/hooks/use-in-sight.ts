// Whether an element has come into sight yet, for what takes long to draw and may lie far below.

import { useCallback, useState, type RefCallback } from 'react';

/** Drawn so much ahead, a part is there before it is scrolled to. */
const AHEAD = '100px';

/** What to give an element as its `ref`, and whether it is or was in sight. */
export function useInSight(): readonly [ref: RefCallback<Element>, isSeen: boolean] {
  const [isSeen, setSeen] = useState(false);
  const ref = useCallback((element: Element | null) => {
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        setSeen(true);
        observer.disconnect();
      },
      { rootMargin: AHEAD },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, isSeen];
}
