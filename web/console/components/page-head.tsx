// A page's heading with its actions. Pages put their actions there with <PageActions>.

import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { PageBoundary } from './frame/page-boundary.tsx';

const ActionsPlace = createContext<HTMLElement | null>(null);

interface TitledProps {
  readonly title: string;
  readonly children: ReactNode;
}

/**
 * A page under its heading. The heading takes the focus on navigation, so that a screen reader announces the page. What
 * the browser itself has just loaded is announced by it, and the focus is where the browser put it.
 */
export function Titled({ title, children }: TitledProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const [place, setPlace] = useState<HTMLElement | null>(null);
  useEffect(() => {
    document.title = `${title} · Turnpike`;
    if (!navigator.userActivation.hasBeenActive) return;
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [title]);
  return (
    <main id="page">
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <div className="actions" ref={setPlace} />
      </div>
      <ActionsPlace value={place}>
        <PageBoundary>{children}</PageBoundary>
      </ActionsPlace>
    </main>
  );
}

/** Shows its children next to the page's heading. */
export function PageActions({ children }: { readonly children: ReactNode }): ReactNode {
  const place = useContext(ActionsPlace);
  return place && createPortal(children, place);
}
