// The signed-in pages of operators: their navigation, and the page that the URL names.

import { lazy, Suspense, useEffect, useState, type ComponentType, type ReactNode } from 'react';
import { Link, Route, Router, Switch, useLocation } from 'wouter';
import { useMutation } from 'urql';
import { Announcer } from '../console/components/announcer.tsx';
import { Button } from '../console/components/forms/button.tsx';
import { ConfirmationQuestion } from '../console/components/forms/confirmation-question.tsx';
import { Titled } from '../console/components/page-head.tsx';
import { isSandbox } from '../console/networks.ts';
import { EndSessionDocument } from './generated/operations.ts';
import { PersonContext, type OperatorPerson } from './person.ts';

const page = (load: () => Promise<Record<'default', ComponentType>>) => lazy(load);

/** All pages, in navigation order. Each is loaded when it is first opened. */
const PAGES: readonly { readonly path: string; readonly title: string; readonly page: ComponentType }[] = [
  { path: '/', title: 'Networks', page: page(() => import('./pages/networks.tsx')) },
  { path: '/merchants', title: 'Merchants', page: page(() => import('./pages/merchants.tsx')) },
  { path: '/payouts', title: 'Payouts', page: page(() => import('./pages/payouts.tsx')) },
  { path: '/assets', title: 'Assets', page: page(() => import('./pages/assets.tsx')) },
  { path: '/funds', title: 'Funds', page: page(() => import('./pages/funds.tsx')) },
  { path: '/actions', title: 'Actions', page: page(() => import('./pages/actions.tsx')) },
  { path: '/account', title: 'Account', page: page(() => import('./pages/account.tsx')) },
];

interface OperateProps {
  readonly person: OperatorPerson;
  readonly onSignedOut: () => void;
}

export function Operate({ person, onSignedOut }: OperateProps): ReactNode {
  return (
    <PersonContext value={person}>
      <ConfirmationQuestion>
        <Router base="/operator">
          <a className="skip" href="#page">
            Skip to the page
          </a>
          <div className="frame">
            <Navigation email={person.email} onSignedOut={onSignedOut} />
            <Suspense
              fallback={
                <p className="unseen" role="status">
                  Loading
                </p>
              }
            >
              <Switch>
                {PAGES.map((of) => (
                  <Route key={of.path} path={of.path}>
                    <Titled title={of.title}>
                      <of.page />
                    </Titled>
                  </Route>
                ))}
                <Route>
                  <Titled title="There is no such page">
                    <p>
                      <Link href="/">Back to the networks</Link>
                    </p>
                  </Titled>
                </Route>
              </Switch>
            </Suspense>
          </div>
          <Announcer />
        </Router>
      </ConfirmationQuestion>
    </PersonContext>
  );
}

interface NavigationProps {
  readonly email: string;
  readonly onSignedOut: () => void;
}

/** The sidebar; on a phone it is above the page, with the links behind a button. */
function Navigation({ email, onSignedOut }: NavigationProps): ReactNode {
  const [{ fetching }, end] = useMutation(EndSessionDocument);
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [location]);
  return (
    <header className="side">
      <div className="name">
        <p className="brand">
          Turnpike <span className="badge busy">{isSandbox ? 'Operator, sandbox' : 'Operator'}</span>
        </p>
        <p className="company">{email}</p>
      </div>
      <Button look="quiet" aria-expanded={isOpen} aria-controls="navigation" onPress={() => setOpen(!isOpen)}>
        Menu
      </Button>
      <div id="navigation" className={isOpen ? 'menu open' : 'menu'}>
        <nav aria-label="Operator">
          <ul>
            {PAGES.map(({ path, title }) => (
              <li key={path}>
                <Link href={path} {...(location === path && { 'aria-current': 'page' })}>
                  {title}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <Button look="quiet" isPending={fetching} onPress={() => void end({}).then(onSignedOut)}>
          Sign out
        </Button>
      </div>
    </header>
  );
}
