// The width of an element, as it changes.

import { useCallback, useState, type RefCallback } from 'react';

/** What to give an element as its `ref`, and its width in pixels; 0 while it is first drawn. */
export function useWidth(): readonly [ref: RefCallback<Element>, width: number] {
  const [width, setWidth] = useState(0);
  const ref = useCallback((element: Element | null) => {
    if (!element) return undefined;
    // At once, for what is printed as soon as it is drawn.
    setWidth(element.getBoundingClientRect().width);
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [ref, width];
}
