// The list of payment links: what each asks for, how often it was used, and a way to disable and enable it.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useChanges } from '../../components/hooks/use-changes.ts';
import {
  InvoiceChangesDocument,
  PaymentLinksDocument,
  type PaymentLinkRowFragment,
} from '../../generated/operations.ts';
import { May } from '../../components/may.tsx';
import { Button } from '../../components/forms/button.tsx';
import { LinkButton } from '../../components/forms/link-button.tsx';
import { useHeldRows } from '../../components/lists/use-held-rows.ts';
import { PageActions } from '../../components/page-head.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { usePages } from '../../components/hooks/use-pages.ts';
import { useThrottled } from '../../components/hooks/use-throttled.ts';
import { LinkPrice, LinkState, LinkUses } from './link-state.tsx';
import { useSession } from '../../session.ts';
import { useSwitch } from './use-switch.tsx';
import '../../style/links.css';

export default function PaymentLinks(): ReactNode {
  const { nodes, error, loadMore, isLoadingMore, refresh, of } = usePages({
    query: PaymentLinksDocument,
    variables: { first: 25 },
    read: ({ paymentLinks }) => paymentLinks,
    keyOf,
  });
  const { rows, place } = useHeldRows({ rows: nodes, keyOf, of });
  // The uses of links move with their invoices.
  const onChange = useThrottled(refresh);
  useChanges(InvoiceChangesDocument, {}, onChange);
  const { may } = useSession();
  const { onSwitch, question } = useSwitch(refresh);
  return (
    <>
      <PageActions>
        <May permissions={['CREATE_PAYMENTS']}>
          <LinkButton href="/payment-links/new">New payment link</LinkButton>
        </May>
      </PageActions>
      <Sheet title="All payment links">
        {error && <Problem error={error} onRetry={refresh} />}
        {!rows && !error && <Loading lines={6} />}
        {rows?.length === 0 && (
          <Empty title="No payment links yet.">
            <p>
              A payment link is a page that creates an invoice for each customer: for an e-mail, a button on your own
              page, or a QR code on a poster.
            </p>
            <May permissions={['CREATE_PAYMENTS']}>
              <LinkButton href="/payment-links/new">Create the first one</LinkButton>
            </May>
          </Empty>
        )}
        <div ref={place}>
          {rows && rows.length > 0 && (
            <Table
              label="Payment links"
              rows={rows}
              keyOf={keyOf}
              columns={columns(may('CREATE_PAYMENTS') ? onSwitch : null)}
              onMore={loadMore}
              isLoadingMore={isLoadingMore}
            />
          )}
        </div>
      </Sheet>
      {question}
    </>
  );
}

const keyOf = ({ id }: PaymentLinkRowFragment) => id;

/** With a column of actions for those who may use them. */
const columns = (
  onSwitch: ((link: PaymentLinkRowFragment) => void) | null,
): readonly Column<PaymentLinkRowFragment>[] => (onSwitch === null ? COLUMNS : [...COLUMNS, actionsOf(onSwitch)]);

const COLUMNS: readonly Column<PaymentLinkRowFragment>[] = [
  {
    title: 'Name',
    phone: 'first',
    cell: ({ id, name }) => (
      <Link href={`/payment-links/${id}`} className="name-of long">
        {name}
      </Link>
    ),
  },
  { title: 'Status', phone: 'second', cell: (link) => <LinkState link={link} /> },
  { title: 'Price', phone: 'first-end', cell: (link) => <LinkPrice link={link} />, isNumber: true },
  { title: 'Uses', cell: (link) => <LinkUses link={link} />, isNumber: true },
  { title: 'Created', phone: 'off', cell: ({ createdAt }) => <Time value={createdAt} /> },
];

const actionsOf = (onSwitch: (link: PaymentLinkRowFragment) => void): Column<PaymentLinkRowFragment> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (link) => (
    <Button
      look="link"
      aria-label={`${link.enabled ? 'Disable' : 'Enable'} ${link.name}`}
      onPress={() => onSwitch(link)}
    >
      {link.enabled ? 'Disable' : 'Enable'}
    </Button>
  ),
});
