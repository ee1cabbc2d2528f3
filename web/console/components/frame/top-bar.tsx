// What is above every page: that no money is real here, the search, whether changes are shown as they happen, and the
// account of the person who is signed in.

import { useSyncExternalStore, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { counted } from '../../amounts.ts';
import { live } from '../../client.ts';
import { isSandbox } from '../../networks.ts';
import { useNarrow } from '../hooks/use-narrow.ts';
import { holding } from '../lists/holding.ts';
import { Brand } from './brand.tsx';
import { Icon } from './icons.tsx';
import { useClosedAfter } from './navigation.tsx';

export interface Account {
  /** The person's name; nothing if they have not said one. */
  readonly name: string | null;
  readonly email: string;
  readonly isSigningOut: boolean;
  readonly onSignOut: () => void;
}

interface TopBarProps {
  /** Whose pages these are: on a phone it is in the place of the product's name. */
  readonly who: string;
  readonly account: Account;
  readonly search: ReactNode;
}

export function TopBar({ who, account, search }: TopBarProps): ReactNode {
  const isNarrow = useNarrow();
  return (
    <header className="head-bar">
      {isSandbox && <p className="stripe">Test mode: no real money</p>}
      <div className="bar">
        <Brand>{isNarrow && <span className="company">{who}</span>}</Brand>
        <div className="search">{search}</div>
        <LiveMark />
        <AccountMenu {...account} />
      </div>
    </header>
  );
}

/** Whether changes are shown as they happen. Where a list is, it is a button that pauses it and lets it go on. */
function LiveMark(): ReactNode {
  const state = useSyncExternalStore(live.follow, live.state);
  const { isThere, isPaused, news } = useSyncExternalStore(holding.follow, holding.state);
  const isHeld = isThere && (isPaused || news > 0);
  const isButton = isThere && state !== 'lost' && (state === 'on' || isHeld);
  return (
    <div>
      {/* The number may change again and again, which is not told to screen readers by itself. */}
      <div aria-live="polite">
        {isButton && isHeld && <span className="unseen">The list is paused</span>}
        {!isButton && state !== 'off' && (
          <p className={`live ${state}`}>
            <span className="words">{state === 'on' ? 'Live' : 'Reconnecting'}</span>
          </p>
        )}
      </div>
      {isButton && <HoldButton isHeld={isHeld} news={news} />}
    </div>
  );
}

interface HoldButtonProps {
  readonly isHeld: boolean;
  /** How many rows are held back. */
  readonly news: number;
}

function HoldButton({ isHeld, news }: HoldButtonProps): ReactNode {
  const look = !isHeld ? 'on' : news > 0 ? 'held some' : 'held';
  return (
    <button type="button" className={`live ${look}`} onClick={holding.turn}>
      <span className="words">{isHeld ? 'Paused' : 'Live'}</span>
      {news > 0 && <span className="news">{counted(news)} new</span>}
      <span className="unseen">{!isHeld ? 'Pause' : news > 0 ? 'Show' : 'Go on'}</span>
    </button>
  );
}

function AccountMenu({ name, email, isSigningOut, onSignOut }: Account): ReactNode {
  const [location] = useLocation();
  const menu = useClosedAfter<HTMLDivElement>(location);
  const shown = name === null || name === '' ? email : name;
  return (
    <div>
      <button type="button" className="person" popoverTarget="account">
        <span className="initial" aria-hidden="true" data-initial={shown.slice(0, 1)} />
        <span className="unseen">Your account: </span>
        <span className="name">{shown}</span>
      </button>
      <div ref={menu} id="account" className="menu" popover="auto">
        <p>
          {shown !== email && <strong>{shown}</strong>} {email}
        </p>
        <ul>
          <li>
            <Link href="/account">
              <Icon name="person" />
              My account
            </Link>
          </li>
          <li>
            <button type="button" disabled={isSigningOut} onClick={onSignOut}>
              <Icon name="leave" />
              Sign out
            </button>
          </li>
        </ul>
      </div>
    </div>
  );
}
