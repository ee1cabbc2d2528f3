// The search of every page: a button that looks like a field, and the keys that open it. What it opens is loaded when
// it is first asked for.

import { lazy, Suspense, useCallback, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { page } from '../frame/page-boundary.tsx';
import { holding } from '../lists/holding.ts';
import type { Destinations } from './destinations.ts';
import { useShortcuts } from './shortcuts.ts';

const Palette = page(() => import('./palette.tsx'));
const ShortcutHelp = lazy(() => import('./shortcut-help.tsx'));

const COMMAND = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

export function SearchBox({ pages, deeds }: Destinations): ReactNode {
  const [, navigate] = useLocation();
  const [opened, setOpened] = useState<'search' | 'help' | null>(null);
  const close = useCallback(() => setOpened(null), []);
  useShortcuts({
    search: () => setOpened('search'),
    help: () => setOpened('help'),
    turn: holding.turn,
    go: (letter, isAfterG) => {
      const to = (isAfterG ? pages : deeds).find((one) => one.letter === letter);
      if (to) navigate(to.path);
      return to !== undefined;
    },
  });
  return (
    <>
      <button type="button" className="search-box" aria-haspopup="dialog" onClick={() => setOpened('search')}>
        <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
          <path d="M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4" />
        </svg>
        <span className="words">Search</span>
        <kbd aria-hidden="true">{COMMAND}</kbd>
      </button>
      <Suspense>
        {opened === 'search' && <Palette {...{ pages, deeds }} onClose={close} onHelp={() => setOpened('help')} />}
        {opened === 'help' && <ShortcutHelp {...{ pages, deeds }} onClose={close} />}
      </Suspense>
    </>
  );
}
