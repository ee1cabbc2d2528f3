// The signed-in console: its navigation, and the page that the address names.

import { lazy, Suspense, useEffect, useRef, type ComponentType, type ReactNode } from 'react';
import { Link, Route, Router, Switch, useLocation } from 'wouter';
import { useMutation } from 'urql';
import { LogoutDocument } from './operations.ts';
import { Button } from './parts/button.tsx';
import { useSession } from './session.ts';

interface Page {
  readonly path: string;
  readonly title: string;
  /** In the navigation, under this name. */
  readonly nav?: string;
  readonly page: ComponentType;
}

const page = (load: () => Promise<Record<'default', ComponentType>>) => lazy(load);

/** Every page, in the order of the navigation. A page is loaded when it is first looked at. */
const PAGES: readonly Page[] = [
  { path: '/', title: 'Overview', nav: 'Overview', page: page(() => import('./pages/overview.tsx')) },
];

export function Console(): ReactNode {
  return (
    <Router base="/console">
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <div className="frame">
        <Navigation />
        <Suspense
          fallback={
            <p className="unseen" role="status">
              Loading
            </p>
          }
        >
          <Switch>
            {PAGES.map(({ path, title, page: Content }) => (
              <Route key={path} path={path}>
                <Titled title={title}>
                  <Content />
                </Titled>
              </Route>
            ))}
            <Route>
              <Titled title="There is no such page">
                <p>
                  <Link href="/">Back to the overview</Link>
                </p>
              </Titled>
            </Route>
          </Switch>
        </Suspense>
      </div>
    </Router>
  );
}

function Navigation(): ReactNode {
  const { companyName, onSessionChange } = useSession();
  const [{ fetching }, logout] = useMutation(LogoutDocument);
  const [location] = useLocation();
  return (
    <header className="side">
      <p className="brand">Turnpike</p>
      <p className="company">{companyName}</p>
      <nav aria-label="Console">
        <ul>
          {PAGES.filter(({ nav }) => nav !== undefined).map(({ path, nav }) => (
            <li key={path}>
              <Link href={path} {...(isAt(location, path) && { 'aria-current': 'page' })}>
                {nav}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Button look="quiet" isPending={fetching} onPress={() => void logout({}).then(onSessionChange)}>
        Sign out
      </Button>
    </header>
  );
}

const isAt = (location: string, path: string) => (path === '/' ? location === '/' : location.startsWith(path));

/** A page under its heading, which takes the focus when one comes from another page: a screen reader then says where one is. */
function Titled({ title, children }: { title: string; children: ReactNode }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${title} · Turnpike`;
    heading.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [title]);
  return (
    <main id="page">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  );
}
