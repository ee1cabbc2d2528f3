// The links of the console, and of the operator's pages: beside the page, and on a phone at its bottom, with the rest
// in a sheet that opens over the page.

import { useEffect, useRef, type ComponentType, type ReactNode, type RefObject } from 'react';
import { Link, useLocation } from 'wouter';
import { useNarrow } from '../hooks/use-narrow.ts';
import { Icon, type IconName } from './icons.tsx';

/** A link of the navigation. */
export interface NavigationLink {
  readonly path: string;
  readonly words: string;
  readonly icon: IconName;
  /** What is shown beside the words, such as how many things wait. */
  readonly count?: ComponentType | undefined;
  /** It leads out of these pages, into a new tab. */
  readonly isOutside?: boolean;
}

/** Links that belong together. */
export interface NavigationGroup {
  /** Above the links; nothing where they need no name. */
  readonly title?: string;
  readonly links: readonly NavigationLink[];
}

interface NavigationProps {
  /** Its name for screen readers. */
  readonly label: string;
  /** Whose pages these are, such as the merchant's name, and what they are to those who are signed in. */
  readonly who: string;
  readonly role: string;
  /** In their order; the last of several is at the bottom. */
  readonly groups: readonly NavigationGroup[];
}

/** The element that a button opens by its id. */
const ID = 'navigation';
const MOST_SHORTCUTS = 4;

export function Navigation({ label, who, role, groups }: NavigationProps): ReactNode {
  const [location] = useLocation();
  const sheet = useClosedAfter<HTMLElement>(location);
  return (
    <nav ref={sheet} id={ID} className="side" aria-label={label} popover="auto">
      <p className="who">
        <span className="initial" aria-hidden="true" data-initial={who.slice(0, 1)} />
        <span>
          <strong>{who}</strong> <small>{role}</small>
        </span>
      </p>
      {groups.map(({ title, links: of }, at) => (
        <div key={title ?? at} className={at > 0 && at === groups.length - 1 ? 'end' : undefined}>
          {title !== undefined && <p className="group">{title}</p>}
          <ul>
            {of.map((link) => (
              <li key={link.path}>
                <Entry link={link} location={location} />
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/**
 * An element that can be opened over the page, and closes when one of its links is followed, or another page opened.
 */
export function useClosedAfter<Of extends HTMLElement>(location: string): RefObject<Of | null> {
  const element = useRef<Of>(null);
  useEffect(() => {
    const opened = element.current;
    const close = ({ target }: Event) => {
      if (target instanceof Element && target.closest('a')) opened?.hidePopover();
    };
    opened?.hidePopover();
    opened?.addEventListener('click', close);
    return () => opened?.removeEventListener('click', close);
  }, [location]);
  return element;
}

interface EntryProps {
  readonly link: NavigationLink;
  readonly location: string;
}

function Entry({ link: { path, words, icon, count: Count, isOutside = false }, location }: EntryProps): ReactNode {
  const content = (
    <>
      <Icon name={icon} />
      {words}
      {Count && <Count />}
    </>
  );
  if (isOutside)
    return (
      <a href={path} target="_blank" rel="noreferrer">
        {content}
        <span className="unseen"> (opens in a new tab)</span>
      </a>
    );
  return (
    <Link href={path} {...(isAt(location, path) && { 'aria-current': 'page' })}>
      {content}
    </Link>
  );
}

const isAt = (location: string, path: string) => (path === '/' ? location === '/' : location.startsWith(path));

interface ShortcutsProps {
  readonly groups: readonly NavigationGroup[];
  /** The paths of links in the order in which they are taken, as far as there are such links and there is room. */
  readonly paths: readonly string[];
}

/**
 * What is at the bottom of a phone, and a button that opens the rest. It is not drawn where nobody sees it: what is
 * counted in it is asked for.
 */
export function Shortcuts({ groups, paths }: ShortcutsProps): ReactNode {
  const [location] = useLocation();
  if (!useNarrow()) return null;
  const all = groups.flatMap((group) => group.links);
  const links = paths.flatMap((path) => all.find((link) => link.path === path) ?? []).slice(0, MOST_SHORTCUTS);
  return (
    <nav className="bottom" aria-label="Shortcuts">
      <ul>
        {links.map((link) => (
          <li key={link.path}>
            <Entry link={link} location={location} />
          </li>
        ))}
        <li>
          <button type="button" popoverTarget={ID}>
            <Icon name="more" />
            More
          </button>
        </li>
      </ul>
    </nav>
  );
}
