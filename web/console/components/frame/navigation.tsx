// The navigation of the console, and of the operator's pages.

import { useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from '../forms/button.tsx';

/** A link of the navigation. */
export interface NavigationLink {
  readonly path: string;
  readonly words: string;
  /** What is shown beside the words, such as how many things wait. */
  readonly count?: ComponentType | undefined;
}

interface NavigationProps {
  /** Its name for screen readers. */
  readonly label: string;
  /** Beside the name of the product, such as that this is a sandbox. */
  readonly badge: string | null;
  /** Whose pages these are. */
  readonly who: string;
  readonly links: readonly NavigationLink[];
  readonly isSigningOut: boolean;
  readonly onSignOut: () => void;
}

/** The sidebar; on a phone it is above the page, with the links behind a button. */
export function Navigation({ label, badge, who, links, isSigningOut, onSignOut }: NavigationProps): ReactNode {
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [location]);
  return (
    <header className="side">
      <div className="name">
        <p className="brand">Turnpike {badge !== null && <span className="badge busy">{badge}</span>}</p>
        <p className="company">{who}</p>
      </div>
      <Button look="quiet" aria-expanded={isOpen} aria-controls="navigation" onPress={() => setOpen(!isOpen)}>
        Menu
      </Button>
      <div id="navigation" className={isOpen ? 'menu open' : 'menu'}>
        <nav aria-label={label}>
          <ul>
            {links.map(({ path, words, count: Count }) => (
              <li key={path}>
                <Link href={path} {...(isAt(location, path) && { 'aria-current': 'page' })}>
                  {words}
                  {Count && <Count />}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Button look="quiet" isPending={isSigningOut} onPress={onSignOut}>
          Sign out
        </Button>
      </div>
    </header>
  );
}

const isAt = (location: string, path: string) => (path === '/' ? location === '/' : location.startsWith(path));
