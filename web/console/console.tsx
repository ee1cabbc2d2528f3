// The signed-in console: the pages that there are, and for whom each is.

import type { ComponentType, ReactNode } from 'react';
import { Link, Route, Switch } from 'wouter';
import { useMutation } from 'urql';
import { LogoutDocument, type MemberPermission } from './generated/operations.ts';
import { Frame } from './components/frame/frame.tsx';
import { Navigation } from './components/frame/navigation.tsx';
import { page } from './components/frame/page-boundary.tsx';
import { Titled } from './components/page-head.tsx';
import { WaitingCount } from './components/payouts/waiting-count.tsx';
import { Empty } from './components/states.tsx';
import { isSandbox } from './networks.ts';
import { useSession, type Session } from './session.ts';

interface Page {
  readonly path: string;
  readonly title: string;
  /** The label of its navigation link; without one, the page is not in the navigation. */
  readonly nav?: string;
  /** What is shown beside the label, such as how many things wait. */
  readonly count?: ComponentType;
  /** Whom it is shown to: those with one of these permissions; without any, everybody. */
  readonly needs?: readonly MemberPermission[];
  readonly page: ComponentType;
}

/** All pages, in navigation order. Each is loaded when it is first opened. */
const PAGES: readonly Page[] = [
  { path: '/', title: 'Overview', nav: 'Overview', page: page(() => import('./pages/overview.tsx')) },
  {
    path: '/payments',
    title: 'Payments',
    needs: ['READ_PAYMENTS'],
    nav: 'Payments',
    page: page(() => import('./pages/payments.tsx')),
  },
  {
    path: '/payments/new',
    title: 'New payment',
    needs: ['CREATE_PAYMENTS'],
    page: page(() => import('./pages/new-payment.tsx')),
  },
  {
    path: '/payments/:id',
    title: 'Payment',
    needs: ['READ_PAYMENTS'],
    page: page(() => import('./pages/payment/page.tsx')),
  },
  {
    path: '/invoices',
    title: 'Invoices',
    needs: ['READ_PAYMENTS'],
    nav: 'Invoices',
    page: page(() => import('./pages/invoices.tsx')),
  },
  {
    path: '/invoices/new',
    title: 'New invoice',
    needs: ['CREATE_PAYMENTS'],
    page: page(() => import('./pages/new-invoice.tsx')),
  },
  {
    path: '/invoices/:id',
    title: 'Invoice',
    needs: ['READ_PAYMENTS'],
    page: page(() => import('./pages/invoice/page.tsx')),
  },
  {
    path: '/payment-links',
    title: 'Payment links',
    needs: ['READ_PAYMENTS'],
    nav: 'Payment links',
    page: page(() => import('./pages/payment-links/list.tsx')),
  },
  {
    path: '/payment-links/new',
    title: 'New payment link',
    needs: ['CREATE_PAYMENTS'],
    page: page(() => import('./pages/payment-links/new.tsx')),
  },
  {
    path: '/payment-links/:id',
    title: 'Payment link',
    needs: ['READ_PAYMENTS'],
    page: page(() => import('./pages/payment-links/page.tsx')),
  },
  {
    path: '/payment-links/:id/change',
    title: 'Change payment link',
    needs: ['CREATE_PAYMENTS'],
    page: page(() => import('./pages/payment-links/change.tsx')),
  },
  {
    path: '/wallet',
    title: 'Wallet',
    needs: ['READ_WALLET'],
    nav: 'Wallet',
    page: page(() => import('./pages/wallet/page.tsx')),
  },
  {
    path: '/wallet/addresses',
    title: 'Addresses',
    needs: ['READ_WALLET'],
    page: page(() => import('./pages/payout-addresses.tsx')),
  },
  {
    path: '/wallet/policy',
    title: 'Policy',
    needs: ['READ_WALLET'],
    page: page(() => import('./pages/policy/page.tsx')),
  },
  {
    path: '/wallet/settlement',
    title: 'Settlement',
    needs: ['READ_WALLET'],
    page: page(() => import('./pages/settlement/page.tsx')),
  },
  {
    path: '/wallet/batches',
    title: 'Batches',
    needs: ['WITHDRAW'],
    page: page(() => import('./pages/batches/list.tsx')),
  },
  {
    path: '/wallet/batches/new',
    title: 'New batch',
    needs: ['WITHDRAW'],
    page: page(() => import('./pages/batches/upload.tsx')),
  },
  {
    path: '/wallet/batches/:id',
    title: 'Batch',
    needs: ['WITHDRAW'],
    page: page(() => import('./pages/batches/page.tsx')),
  },
  {
    path: '/approvals',
    title: 'Approvals',
    needs: ['APPROVE_PAYOUTS'],
    nav: 'Approvals',
    count: WaitingCount,
    page: page(() => import('./pages/approvals/page.tsx')),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    needs: ['MANAGE_WEBHOOKS'],
    nav: 'Webhooks',
    page: page(() => import('./pages/webhooks/page.tsx')),
  },
  {
    path: '/api-keys',
    title: 'API keys',
    needs: ['MANAGE_KEYS'],
    nav: 'API keys',
    page: page(() => import('./pages/api-keys/page.tsx')),
  },
  {
    path: '/reports',
    title: 'Reports',
    needs: ['READ_REPORTS'],
    nav: 'Reports',
    page: page(() => import('./pages/reports.tsx')),
  },
  {
    path: '/reports/receipts',
    title: 'Receipts',
    needs: ['READ_REPORTS'],
    page: page(() => import('./pages/receipts.tsx')),
  },
  {
    path: '/api-logs',
    title: 'API logs',
    needs: ['READ_REPORTS'],
    nav: 'API logs',
    page: page(() => import('./pages/api-logs.tsx')),
  },
  ...(isSandbox
    ? [
        {
          path: '/receiver',
          title: 'Test receiver',
          needs: ['MANAGE_WEBHOOKS'] as const,
          nav: 'Test receiver',
          page: page(() => import('./pages/receiver.tsx')),
        },
      ]
    : []),
  {
    path: '/people',
    title: 'People',
    nav: 'People',
    needs: ['MANAGE_PEOPLE'],
    page: page(() => import('./pages/people/page.tsx')),
  },
  {
    path: '/customers',
    title: 'Customers',
    nav: 'Customers',
    needs: ['ERASE_CUSTOMERS'],
    page: page(() => import('./pages/customers.tsx')),
  },
  {
    path: '/settings',
    title: 'Settings',
    needs: ['MANAGE_SETTINGS', 'READ_AUDIT'],
    nav: 'Settings',
    page: page(() => import('./pages/settings/page.tsx')),
  },
  { path: '/account', title: 'Account', nav: 'Account', page: page(() => import('./pages/account/page.tsx')) },
  {
    path: '/settings/rates',
    title: 'Rates',
    needs: ['MANAGE_SETTINGS'],
    page: page(() => import('./pages/rates/page.tsx')),
  },
];

/** Whether a page is for somebody who may do what `may` says. */
const isShown = ({ needs }: Page, may: Session['may']): boolean => needs === undefined || needs.some(may);

/** In place of a page that is for others, to whom a link may have led. */
function Forbidden(): ReactNode {
  return (
    <Empty title="This page is not for your role.">
      <p>
        Ask an owner if you need it. <Link href="/">Back to the overview</Link>
      </p>
    </Empty>
  );
}

export function Console(): ReactNode {
  const { may } = useSession();
  return (
    <Frame base="/console" navigation={<OwnNavigation />}>
      <Switch>
        {PAGES.map((of) => (
          <Route key={of.path} path={of.path}>
            <Titled title={of.title}>{isShown(of, may) ? <of.page /> : <Forbidden />}</Titled>
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
    </Frame>
  );
}

/** The links to the pages that are for the role of the one who is signed in. */
function OwnNavigation(): ReactNode {
  const { merchant, may, onSessionChange } = useSession();
  const [{ fetching }, logout] = useMutation(LogoutDocument);
  const links = PAGES.flatMap((of) =>
    of.nav !== undefined && isShown(of, may) ? [{ path: of.path, words: of.nav, count: of.count }] : [],
  );
  return (
    <Navigation
      label="Console"
      badge={isSandbox ? 'Sandbox' : null}
      who={merchant.companyName}
      links={links}
      isSigningOut={fetching}
      onSignOut={() => void logout({}).then(() => onSessionChange())}
    />
  );
}
