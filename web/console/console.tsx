// The signed-in console: the pages that there are, and for whom each is.

import type { ComponentType, ReactNode } from 'react';
import { Link, Route, Switch } from 'wouter';
import { useMutation } from 'urql';
import { LogoutDocument, type MemberPermission } from './generated/operations.ts';
import type { Destination } from './components/search/destinations.ts';
import { SearchBox } from './components/search/search-box.tsx';
import { Frame } from './components/frame/frame.tsx';
import type { IconName } from './components/frame/icons.tsx';
import type { NavigationGroup } from './components/frame/navigation.tsx';
import {
  FailingEndpoints,
  NavigationCounts,
  OpenPayments,
  WaitingPayouts,
} from './components/frame/navigation-counts.tsx';
import { page } from './components/frame/page-boundary.tsx';
import { Titled } from './components/page-head.tsx';
import { Empty } from './components/states.tsx';
import { isSandbox } from './networks.ts';
import Home from './pages/home/page.tsx';
import { nameOfRole } from './role-names.ts';
import { useSession, type Session } from './session.ts';

interface Page {
  readonly path: string;
  readonly title: string;
  /** The label of its navigation link, for those in `GROUPS`. */
  readonly nav?: string;
  /** What is shown beside the label, such as how many things wait. */
  readonly count?: ComponentType;
  /** Whom it is shown to: those with one of these permissions; without any, everybody. */
  readonly needs?: readonly MemberPermission[];
  readonly page: ComponentType;
}

/** All pages. Each is loaded when it is first opened, but for the one that most people open first. */
const PAGES: readonly Page[] = [
  { path: '/', title: 'Home', nav: 'Home', page: Home },
  {
    path: '/payments',
    title: 'Payments',
    needs: ['READ_PAYMENTS'],
    nav: 'Payments',
    count: OpenPayments,
    page: page(() => import('./pages/payments/page.tsx')),
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
    title: 'Balances',
    needs: ['READ_WALLET'],
    nav: 'Balances',
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
    count: WaitingPayouts,
    page: page(() => import('./pages/approvals/page.tsx')),
  },
  {
    path: '/webhooks',
    title: 'Webhooks',
    needs: ['MANAGE_WEBHOOKS'],
    nav: 'Webhooks',
    count: FailingEndpoints,
    page: page(() => import('./pages/webhooks/page.tsx')),
  },
  {
    path: '/webhooks/:id',
    title: 'Webhook endpoint',
    needs: ['MANAGE_WEBHOOKS'],
    page: page(() => import('./pages/webhooks/endpoint/page.tsx')),
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
    page: page(() => import('./pages/reports/page.tsx')),
  },
  {
    path: '/reports/receipts',
    title: 'Receipts',
    needs: ['READ_REPORTS'],
    page: page(() => import('./pages/receipts.tsx')),
  },
  {
    path: '/api-logs',
    title: 'Logs',
    needs: ['READ_REPORTS'],
    nav: 'Logs',
    page: page(() => import('./pages/api-logs/page.tsx')),
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
  { path: '/account', title: 'Account', page: page(() => import('./pages/account/page.tsx')) },
  {
    path: '/settings/rates',
    title: 'Rates',
    needs: ['MANAGE_SETTINGS'],
    page: page(() => import('./pages/rates/page.tsx')),
  },
];

/** The navigation: the paths of its links, and what is drawn beside each. */
const GROUPS: readonly { readonly title?: string; readonly links: Readonly<Record<string, IconName>> }[] = [
  {
    links: {
      '/': 'home',
      '/payments': 'payments',
      '/invoices': 'invoices',
      '/payment-links': 'links',
      '/wallet': 'balances',
      '/approvals': 'approvals',
      '/reports': 'reports',
      '/customers': 'person',
    },
  },
  {
    title: 'Developers',
    links: { '/webhooks': 'webhooks', '/api-keys': 'keys', '/api-logs': 'logs', '/receiver': 'inbox' },
  },
  { links: { '/people': 'people', '/settings': 'settings' } },
];

/** At the bottom of a phone. Who may not approve has the next one. */
const SHORTCUTS = ['/', '/payments', '/wallet', '/approvals', '/invoices', '/webhooks', '/reports'];

/** The letters that go to pages after a `g`, and those that do something by themselves. */
const LETTERS: Readonly<Record<string, string>> = {
  '/': 'h',
  '/payments': 'p',
  '/invoices': 'i',
  '/payment-links': 'l',
  '/wallet': 'b',
  '/reports': 'r',
  '/webhooks': 'w',
  '/api-keys': 'k',
  '/api-logs': 'o',
  '/settings': 's',
};
const DEEDS: Readonly<Record<string, string | undefined>> = {
  '/payments/new': 'n',
  '/invoices/new': undefined,
  '/payment-links/new': undefined,
  '/wallet/batches/new': undefined,
};

const DOCS = { path: '/docs', words: 'Docs', icon: 'docs', isOutside: true } as const;

/** Whether a page is for somebody who may do what `may` says. */
const isShown = ({ needs }: Page, may: Session['may']): boolean => needs === undefined || needs.some(may);

/** In place of a page that is for others, to whom a link may have led. */
function Forbidden(): ReactNode {
  return (
    <Empty title="This page is not for your role.">
      <p>
        Ask an owner if you need it. <Link href="/">Back to Home</Link>
      </p>
    </Empty>
  );
}

export function Console(): ReactNode {
  const { person, merchant, role, may, onSessionChange } = useSession();
  const [{ fetching }, logout] = useMutation(LogoutDocument);
  return (
    <NavigationCounts>
      <Frame
        base="/console"
        label="Console"
        who={merchant.companyName}
        role={capitalised(nameOfRole(role.role))}
        groups={groupsFor(may)}
        shortcuts={SHORTCUTS}
        search={<SearchBox pages={pagesFor(may)} deeds={deedsFor(may)} />}
        account={{
          name: person.name,
          email: person.email,
          isSigningOut: fetching,
          onSignOut: () => void logout({}).then(() => onSessionChange()),
        }}
      >
        <Switch>
          {PAGES.map((of) => (
            <Route key={of.path} path={of.path}>
              <Titled title={of.title}>{isShown(of, may) ? <of.page /> : <Forbidden />}</Titled>
            </Route>
          ))}
          <Route>
            <Titled title="Page not found">
              <p>
                <Link href="/">Back to Home</Link>
              </p>
            </Titled>
          </Route>
        </Switch>
      </Frame>
    </NavigationCounts>
  );
}

const capitalised = (words: string) => words.slice(0, 1).toUpperCase() + words.slice(1);

/** The links to the pages that are for the role of the one who is signed in. */
function groupsFor(may: Session['may']): NavigationGroup[] {
  return GROUPS.map(({ title, links }) => ({
    ...(title !== undefined && { title }),
    links: [
      ...Object.entries(links).flatMap(([path, icon]) => {
        const of = PAGES.find((page) => page.path === path);
        return of?.nav !== undefined && isShown(of, may) ? [{ path, words: of.nav, icon, count: of.count }] : [];
      }),
      ...(title === 'Developers' ? [DOCS] : []),
    ],
  }));
}

/** Where the search and the keys lead to. */
function pagesFor(may: Session['may']): Destination[] {
  return PAGES.filter((of) => !of.path.includes(':') && !(of.path in DEEDS) && isShown(of, may)).map(
    ({ path, title }) => ({ path, words: title, letter: LETTERS[path] }),
  );
}

function deedsFor(may: Session['may']): Destination[] {
  return PAGES.filter((of) => of.path in DEEDS && isShown(of, may)).map(({ path, title }) => ({
    path,
    words: title,
    letter: DEEDS[path],
  }));
}
