// The list of invoices: searched by reference or id, filtered by the URL's parameters, updated live.

import { useMemo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useChanges } from '../components/hooks/use-changes.ts';
import {
  InvoiceByIdDocument,
  InvoiceChangesDocument,
  InvoicesDocument,
  type InvoiceFilter,
  type InvoiceRowFragment,
  type InvoiceStatus,
} from '../generated/operations.ts';
import { May } from '../components/may.tsx';
import { Status, wordsOf } from '../components/badge.tsx';
import { DateField } from '../components/forms/date-field.tsx';
import { LinkButton } from '../components/forms/link-button.tsx';
import { SearchForm } from '../components/forms/search-form.tsx';
import { Select } from '../components/forms/select.tsx';
import { PageActions } from '../components/page-head.tsx';
import { Sheet } from '../components/overlays/sheet.tsx';
import { Found, Listed } from '../components/search/searched-list.tsx';
import { amountColumn, Table, type Column } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { useChoices, type Choices } from '../components/hooks/use-choices.ts';
import { usePages, useTold } from '../components/hooks/use-pages.ts';
import { useThrottled } from '../components/hooks/use-throttled.ts';

const UNDER_WAY: readonly InvoiceStatus[] = ['OPEN', 'PARTIALLY_PAID', 'PROCESSING'];
const STATUSES: readonly InvoiceStatus[] = [
  ...UNDER_WAY,
  ...(['SETTLED', 'FAILED', 'EXPIRED', 'CANCELED', 'PARTIALLY_REFUNDED', 'REFUNDED'] as const),
];
const STATUS_OPTIONS = [
  ['', 'Any'],
  ['UNDER_WAY', 'All open'],
  ...STATUSES.map((status) => [status, wordsOf(status)] as const),
] as const;

export default function InvoicesPage(): ReactNode {
  const { parameters, choose } = useChoices();
  const search = parameters.get('search')?.trim() ?? '';
  const filter = useMemo(() => filterOf(parameters), [parameters]);
  return (
    <>
      <PageActions>
        <May permissions={['CREATE_PAYMENTS']}>
          <LinkButton href="/invoices/new">New invoice</LinkButton>
        </May>
      </PageActions>
      <Sheet title={filter.linkId ? 'Invoices of a payment link' : 'All invoices'}>
        <Filters parameters={parameters} choose={choose} />
        {/^inv_\w+$/.test(search) ? (
          <Found
            query={InvoiceByIdDocument}
            id={search}
            read={({ invoice }) => invoice}
            thing="invoice"
            table={(rows) => <InvoiceTable rows={rows} />}
          />
        ) : (
          <Invoices filter={filter} isNarrowed={parameters.size > 0} />
        )}
      </Sheet>
    </>
  );
}

function filterOf(parameters: URLSearchParams): InvoiceFilter {
  const valueOf = (name: string) => parameters.get(name)?.trim() ?? '';
  const status = valueOf('status');
  const texts = {
    merchantInvoiceId: valueOf('search'),
    currency: valueOf('currency').toUpperCase(),
    linkId: valueOf('link'),
    startDate: valueOf('from'),
    endDate: valueOf('to'),
  };
  return {
    ...(status !== '' && { status: status === 'UNDER_WAY' ? [...UNDER_WAY] : [status as InvoiceStatus] }),
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== '')),
  };
}

function Filters({ parameters, choose }: Choices): ReactNode {
  const valueOf = (name: string) => parameters.get(name) ?? '';
  return (
    <SearchForm label="Full reference or invoice id" parameters={parameters} choose={choose}>
      <Select
        label="Status"
        options={STATUS_OPTIONS}
        value={valueOf('status')}
        onChange={(value) => choose('status', value)}
      />
      <DateField label="From" value={valueOf('from')} onChange={(value) => choose('from', value)} />
      <DateField label="To" value={valueOf('to')} onChange={(value) => choose('to', value)} />
    </SearchForm>
  );
}

interface InvoicesProps {
  readonly filter: InvoiceFilter;
  readonly isNarrowed: boolean;
}

function Invoices({ filter, isNarrowed }: InvoicesProps): ReactNode {
  const pages = usePages({
    query: InvoicesDocument,
    variables: { filter, first: 25 },
    read: ({ invoices }) => invoices,
    keyOf: ({ id }: InvoiceRowFragment) => id,
  });
  const { told, tell } = useTold<InvoiceRowFragment>(pages.nodes?.map(({ id }) => id));
  const onChange = useThrottled(pages.refresh);
  useChanges(InvoiceChangesDocument, {}, ({ invoiceUpdated: invoice }) => {
    tell(invoice.id, invoice);
    onChange();
  });
  const table = (rows: readonly InvoiceRowFragment[]) => (
    <InvoiceTable
      rows={rows.map((row) => told.get(row.id) ?? row)}
      onMore={pages.loadMore}
      isLoadingMore={pages.isLoadingMore}
    />
  );
  return <Listed {...{ pages, isNarrowed, table }} things="invoices" newHref="/invoices/new" />;
}

interface InvoiceTableProps {
  readonly rows: readonly InvoiceRowFragment[];
  readonly onMore?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
}

const InvoiceTable = (props: InvoiceTableProps): ReactNode => (
  <Table {...props} label="Invoices" columns={COLUMNS} keyOf={({ id }) => id} />
);

const COLUMNS: readonly Column<InvoiceRowFragment>[] = [
  {
    title: 'Invoice',
    phone: 'first',
    cell: ({ id, merchantInvoiceId, description }) => (
      <Link href={`/invoices/${id}`} className="name-of">
        {merchantInvoiceId ?? description ?? `…${id.slice(-8)}`}
      </Link>
    ),
  },
  {
    title: 'Status',
    phone: 'second',
    cell: ({ status, exception }) => <Status status={status} exception={exception ?? null} />,
  },
  amountColumn('Price', ({ amount, currency }) => [amount, currency], 'first-end'),
  amountColumn('Received', ({ amountReceived, currency }) => [amountReceived, currency], 'off'),
  { title: 'Created', phone: 'second-end', cell: ({ createdAt }) => <Time value={createdAt} /> },
];
