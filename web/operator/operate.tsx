// The signed-in pages of operators, and which there are.

import type { ComponentType, ReactNode } from 'react';
import { Link, Route, Switch } from 'wouter';
import { useMutation } from 'urql';
import { Frame } from '../console/components/frame/frame.tsx';
import { Navigation } from '../console/components/frame/navigation.tsx';
import { page } from '../console/components/frame/page-boundary.tsx';
import { Titled } from '../console/components/page-head.tsx';
import { isSandbox } from '../console/networks.ts';
import { EndSessionDocument } from './generated/operations.ts';
import { PersonContext, type OperatorPerson } from './person.ts';

/** All pages, in navigation order. Each is loaded when it is first opened. */
const PAGES: readonly { readonly path: string; readonly title: string; readonly page: ComponentType }[] = [
  { path: '/', title: 'Networks', page: page(() => import('./pages/networks.tsx')) },
  { path: '/merchants', title: 'Merchants', page: page(() => import('./pages/merchants.tsx')) },
  { path: '/payouts', title: 'Payouts', page: page(() => import('./pages/payouts.tsx')) },
  { path: '/assets', title: 'Assets', page: page(() => import('./pages/assets.tsx')) },
  { path: '/funds', title: 'Funds', page: page(() => import('./pages/funds.tsx')) },
  { path: '/actions', title: 'Actions', page: page(() => import('./pages/actions.tsx')) },
  { path: '/log', title: 'Log', page: page(() => import('./pages/log.tsx')) },
  { path: '/account', title: 'Account', page: page(() => import('./pages/account.tsx')) },
];

interface OperateProps {
  readonly person: OperatorPerson;
  readonly onSignedOut: () => void;
}

const LINKS = PAGES.map(({ path, title }) => ({ path, words: title }));

export function Operate({ person, onSignedOut }: OperateProps): ReactNode {
  return (
    <PersonContext value={person}>
      <Frame base="/operator" navigation={<OwnNavigation person={person} onSignedOut={onSignedOut} />}>
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
      </Frame>
    </PersonContext>
  );
}

function OwnNavigation({ person, onSignedOut }: OperateProps): ReactNode {
  const [{ fetching }, end] = useMutation(EndSessionDocument);
  return (
    <Navigation
      label="Operator"
      badge={isSandbox ? 'Operator, sandbox' : 'Operator'}
      who={person.email}
      links={LINKS}
      isSigningOut={fetching}
      onSignOut={() => void end({}).then(onSignedOut)}
    />
  );
}
