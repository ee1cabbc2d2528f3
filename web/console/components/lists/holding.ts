// What lists hold back while somebody reads them: how much it is, for the mark at the top of the page, and the ways to
// hold everything back and to show it.

/** A list that is on the page. */
export interface HoldingList {
  /** How many rows it holds back. */
  readonly news: number;
  readonly show: () => void;
}

/** What all lists of the page hold back together. */
export interface Held {
  /** Whether there is such a list. */
  readonly isThere: boolean;
  /** Somebody wants it to stand still. */
  readonly isPaused: boolean;
  readonly news: number;
}

const lists = new Map<string, HoldingList>();
const followers = new Set<() => void>();
let held: Held = { isThere: false, isPaused: false, news: 0 };
/** The path of the page that is paused: another page is not. */
let pausedOn: string | null = null;

function tell(): void {
  if (pausedOn !== location.pathname) pausedOn = null;
  const isPaused = pausedOn !== null;
  const isThere = lists.size > 0;
  const news = [...lists.values()].reduce((sum, list) => sum + list.news, 0);
  if (isThere === held.isThere && isPaused === held.isPaused && news === held.news) return;
  held = { isThere, isPaused, news };
  for (const follower of followers) follower();
}

export const holding = {
  state: (): Held => held,
  follow(follower: () => void): () => void {
    followers.add(follower);
    return () => followers.delete(follower);
  },
  put(id: string, list: HoldingList): void {
    lists.set(id, list);
    tell();
  },
  remove(id: string): void {
    lists.delete(id);
    tell();
  },
  /** Shows what is held back, or holds everything back from now on. Answers whether there is a list at all. */
  turn(): boolean {
    const isHeld = held.isPaused || held.news > 0;
    pausedOn = isHeld || !held.isThere ? null : location.pathname;
    tell();
    if (isHeld) for (const { show } of [...lists.values()]) show();
    return held.isThere;
  },
};

/** Whether a list may move. One that is `held` does not, but says what its rows have become; a paused one does not. */
export type Stillness = 'moving' | 'held' | 'paused';

/** It is held while its beginning is out of sight, or something lies over it that was opened from it. */
export function stillnessOf(place: Element | null): Stillness {
  if (held.isPaused) return 'paused';
  return isAbove(place) || document.querySelector('[role=dialog], [role=alertdialog]') !== null ? 'held' : 'moving';
}

/** Whether the beginning of an element is above the window. */
export const isAbove = (place: Element | null): boolean => place !== null && place.getBoundingClientRect().top < 0;
