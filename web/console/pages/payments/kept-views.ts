// The views that somebody keeps of a list, in this browser and for this merchant.

import { useState } from 'react';
import { inBrowser } from '../../components/hooks/keeping.ts';
import { useSession } from '../../session.ts';

export interface KeptView {
  readonly name: string;
  /** The parameters of the list's URL, sorted. */
  readonly query: string;
}

const MOST = 12;

/** A browser that was given something else keeps none. */
function read(place: string): readonly KeptView[] {
  try {
    const found: unknown = JSON.parse(inBrowser.read(place) ?? '[]');
    return Array.isArray(found) ? found.filter(isView) : [];
  } catch {
    return [];
  }
}

const isView = (one: unknown): one is KeptView =>
  typeof one === 'object' &&
  one !== null &&
  typeof (one as KeptView).name === 'string' &&
  typeof (one as KeptView).query === 'string';

export function useKeptViews(list: string) {
  const place = `turnpike/views/${useSession().merchant.id}/${list}`;
  const [kept, setKept] = useState(() => read(place));
  const store = (next: readonly KeptView[]) => {
    inBrowser.keep(place, JSON.stringify(next));
    setKept(next);
  };
  return {
    kept,
    keep: (view: KeptView) => store([...kept.filter(({ name }) => name !== view.name), view].slice(-MOST)),
    drop: (dropped: string) => store(kept.filter(({ name }) => name !== dropped)),
  };
}
