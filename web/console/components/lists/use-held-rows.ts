// The rows of a live list, which do not move under those who read them: new ones are held back while the list is
// scrolled, covered or paused, and shown when that is over or somebody asks for them.

import { useCallback, useEffect, useId, useRef, useState, useSyncExternalStore, type RefObject } from 'react';
import { holding, isAbove, stillnessOf } from './holding.ts';
import { merge } from './merge.ts';

/** How soon a list goes on that held something back. */
const LOOK_EVERY_MS = 300;

interface Live<Row> {
  /** As they are now; undefined until they are loaded. A row that has not changed is the same object. */
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
  const stillness = useSyncExternalStore(
    follow,
    useCallback(() => stillnessOf(place.current), []),
  );
  /** What was drawn last. */
  const [drawn, setDrawn] = useState<Pick<Live<Row>, 'of' | 'rows'>>({ of: undefined, rows: undefined });
  const known = drawn.of === of ? drawn.rows : undefined;
  const isHeld = rows !== undefined && known !== undefined && stillness !== 'moving';
  const merged = isHeld ? merge(known, rows, keyOf, stillness === 'paused') : { rows, news: 0 };
  if (drawn.of !== of || !areSame(drawn.rows, merged.rows)) setDrawn({ of, rows: merged.rows });
  const onShow = further?.onShow;
  const show = useCallback(() => {
    setDrawn({ of: undefined, rows: undefined });
    onShow?.();
    if (isAbove(place.current)) place.current?.scrollIntoView();
  }, [onShow]);
  const news = merged.news + (further?.news ?? 0);
  useEffect(() => holding.put(id, { news, show }), [id, news, show]);
  useEffect(() => () => holding.remove(id), [id]);
  return { rows: merged.rows, place };
}

/** What scrolls or covers a list tells nobody: it is looked at. */
function follow(look: () => void): () => void {
  const unfollow = holding.follow(look);
  const timer = setInterval(look, LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    unfollow();
  };
}

const areSame = <Row>(a: readonly Row[] | undefined, b: readonly Row[] | undefined): boolean =>
  a === b || (a?.length === b?.length && a?.every((row, place) => row === b?.[place]) === true);
