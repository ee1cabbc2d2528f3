// The signed-in pages of operators, and which there are.

import type { ComponentType, ReactNode } from 'react';
import { Link, Route, Switch } from 'wouter';
import { useMutation, useQuery } from 'urql';
import { Frame } from '../console/components/frame/frame.tsx';
import type { IconName } from '../console/components/frame/icons.tsx';
import { page } from '../console/components/frame/page-boundary.tsx';
import { Titled } from '../console/components/page-head.tsx';
import { EndSessionDocument, OperatorCellsDocument } from './generated/operations.ts';
import { PersonContext, type OperatorPerson } from './person.ts';

interface Page {
  readonly path: string;
  readonly title: string;
  /** What is drawn beside its link; nothing where it is not in the navigation. */
  readonly icon?: IconName;
  readonly page: ComponentType;
}

/** Linked to only where there are several. */
const CELLS = '/cells';

/** All pages, in navigation order. Each is loaded when it is first opened. */
const PAGES: readonly Page[] = [
  { path: '/', icon: 'networks', title: 'Networks', page: page(() => import('./pages/networks.tsx')) },
  { path: '/merchants', icon: 'shops', title: 'Merchants', page: page(() => import('./pages/merchants.tsx')) },
  { path: '/payouts', icon: 'payouts', title: 'Payouts', page: page(() => import('./pages/payouts.tsx')) },
  { path: '/assets', icon: 'coins', title: 'Assets', page: page(() => import('./pages/assets.tsx')) },
  { path: '/funds', icon: 'balances', title: 'Funds', page: page(() => import('./pages/funds.tsx')) },
  { path: '/actions', icon: 'approvals', title: 'Actions', page: page(() => import('./pages/actions.tsx')) },
  { path: CELLS, icon: 'cells', title: 'Cells', page: page(() => import('./pages/cells.tsx')) },
  { path: '/log', icon: 'logs', title: 'Log', page: page(() => import('./pages/log.tsx')) },
  { path: '/account', title: 'Account', page: page(() => import('./pages/account.tsx')) },
];

interface OperateProps {
  readonly person: OperatorPerson;
  readonly onSignedOut: () => void;
}

const LINKS = PAGES.flatMap(({ path, title, icon }) => (icon ? [{ path, words: title, icon }] : []));
const GROUPS = [{ links: LINKS.filter(({ path }) => path !== CELLS) }];
const GROUPS_OF_CELLS = [{ links: LINKS }];

/** At the bottom of a phone. */
const SHORTCUTS = ['/', '/payouts', '/merchants', '/actions'];

export function Operate({ person, onSignedOut }: OperateProps): ReactNode {
  const [{ fetching }, end] = useMutation(EndSessionDocument);
  const [cells] = useQuery({ query: OperatorCellsDocument });
  const hasCells = cells.error !== undefined || (cells.data?.operatorCells.length ?? 0) > 0;
  return (
    <PersonContext value={person}>
      <Frame
        base="/operator"
        label="Operator"
        who="Operator"
        role={person.email}
        groups={hasCells ? GROUPS_OF_CELLS : GROUPS}
        shortcuts={SHORTCUTS}
        account={{
          name: null,
          email: person.email,
          isSigningOut: fetching,
          onSignOut: () => void end({}).then(onSignedOut),
        }}
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
            <Titled title="Page not found">
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
