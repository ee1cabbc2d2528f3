// The rows of a live list, which do not move under those who read them: new ones are held back while the list is
// scrolled, covered or paused, and shown when that is over or somebody asks for them.

import { useCallback, useEffect, useId, useRef, useState, type RefObject } from 'react';
import { holding, holdsBack, isAbove } from './holding.ts';
import { merge } from './merge.ts';

/** How soon a list goes on that held something back. */
const LOOK_EVERY_MS = 300;

interface Live<Row> {
  /** As they are now; undefined until they are loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly keyOf: (row: Row) => string;
  /** Names the list that they are of: another filter makes another list, which is shown at once. */
  readonly of: string | undefined;
  /** How many more are known of that are not among `rows`, and what loads them. */
  readonly further?: { readonly news: number; readonly onShow: () => void };
}

interface Shown<Row> {
  readonly rows: readonly Row[] | undefined;
  /** For the element that they are in. */
  readonly place: RefObject<HTMLDivElement | null>;
}

export function useHeldRows<Row>({ rows, keyOf, of, further }: Live<Row>): Shown<Row> {
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const before = useRef<{ readonly of: string | undefined; readonly rows: readonly Row[] }>(undefined);
  const [, draw] = useState(0);
  const known = before.current?.of === of ? before.current?.rows : undefined;
  const isHeld = rows !== undefined && known !== undefined && holdsBack(place.current);
  const merged = isHeld ? merge(known, rows, keyOf, holding.state().isPaused) : { rows, news: 0 };
  before.current = merged.rows && { of, rows: merged.rows };
  const release = useCallback(() => {
    before.current = undefined;
    draw((times) => times + 1);
  }, []);
  const onShow = further?.onShow;
  const show = useCallback(() => {
    release();
    onShow?.();
    if (isAbove(place.current)) place.current?.scrollIntoView();
  }, [release, onShow]);
  const news = merged.news + (further?.news ?? 0);
  useEffect(() => holding.put(id, { news, show }), [id, news, show]);
  useEffect(() => () => holding.remove(id), [id]);
  // A paused list may differ in what its rows say, without any new ones.
  useEffect(() => {
    if (!isHeld) return undefined;
    const timer = setInterval(() => {
      if (!holdsBack(place.current)) release();
    }, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [isHeld, release]);
  return { rows: merged.rows, place };
}
