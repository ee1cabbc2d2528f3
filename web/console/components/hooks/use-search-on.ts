// Goes on with a list that is searched in steps: a page may be empty although there is more further back.

import { useEffect, useRef } from 'react';
import type { Pages } from './use-pages.ts';

/** So many pages are read by themselves, at most; then the reader decides. */
const MOST = 20;

/** Reads on while nothing was found. Returns whether it does so now. `key` names what is searched for. */
export function useSearchOn({ nodes, loadMore, isLoadingMore, error }: Pages<unknown>, key: string): boolean {
  const read = useRef({ key, pages: 0 });
  if (read.current.key !== key) read.current = { key, pages: 0 };
  const isGoingOn = nodes?.length === 0 && loadMore !== undefined && !error && read.current.pages < MOST;
  useEffect(() => {
    if (!isGoingOn || isLoadingMore) return;
    read.current.pages += 1;
    loadMore?.();
  });
  return isGoingOn;
}
