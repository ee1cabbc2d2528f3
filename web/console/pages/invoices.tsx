// The list of invoices: searched by a piece of what is known of one, filtered by the URL's parameters, updated live.

import { useMemo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useChanges } from '../components/hooks/use-changes.ts';
import {
  InvoiceChangesDocument,
  InvoicesDocument,
  type InvoiceFilter,
  type InvoiceRowFragment,
  type InvoiceStatus,
} from '../generated/operations.ts';
import { May } from '../components/may.tsx';
import { Status, wordsOf } from '../components/badge.tsx';
import { Copy } from '../components/copy.tsx';
import { Email } from '../components/lists/email.tsx';
import { DateField } from '../components/forms/date-field.tsx';
import { LinkButton } from '../components/forms/link-button.tsx';
import { Select } from '../components/forms/select.tsx';
import { Filters } from '../components/lists/filters.tsx';
import { inForce, ofChoice, ofDay, ofText, type FilterWords } from '../components/lists/in-force.ts';
import { useHeldRows } from '../components/lists/use-held-rows.ts';
import { PageActions } from '../components/page-head.tsx';
import { Sheet } from '../components/overlays/sheet.tsx';
import { Found, Listed } from '../components/search/searched-list.tsx';
import { amountColumn, Table, type Column } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { useChoices, type Choices } from '../components/hooks/use-choices.ts';
import { usePages, useTold } from '../components/hooks/use-pages.ts';
import { useThrottled } from '../components/hooks/use-throttled.ts';
import { classOfName } from '../components/lists/names.ts';

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
  const choices = useChoices();
  const { parameters } = choices;
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
        <InvoiceFilters {...choices} />
        {search === '' ? (
          <Invoices filter={filter} isNarrowed={parameters.size > 0} />
        ) : (
          <Found
            text={search}
            things="invoices"
            read={({ invoices }) => invoices}
            ways="A search finds the beginning of a reference, an e-mail address or an id."
            table={(rows) => <InvoiceTable rows={rows} />}
            others={({ payments }) => (payments.length > 0 ? [['Payments', '/payments']] : [])}
          />
        )}
      </Sheet>
    </>
  );
}

function filterOf(parameters: URLSearchParams): InvoiceFilter {
  const valueOf = (name: string) => parameters.get(name)?.trim() ?? '';
  const status = valueOf('status');
  const texts = {
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

const WORDS: FilterWords = {
  link: (id) => `Of payment link …${id.slice(-8)}`,
  status: ofChoice('Status', STATUS_OPTIONS),
  currency: ofText('Currency'),
  from: ofDay('From'),
  to: ofDay('To'),
};

/** A search is by itself, as among payments. */
function InvoiceFilters(choices: Choices): ReactNode {
  const { parameters, choose } = choices;
  const valueOf = (name: string) => parameters.get(name) ?? '';
  const isSearched = valueOf('search') !== '';
  return (
    <Filters
      {...choices}
      search="Reference, e-mail address or id"
      inForce={inForce(parameters, isSearched ? { search: ofText('Search') } : WORDS)}
    >
      {!isSearched && (
        <>
          <Select
            label="Status"
            options={STATUS_OPTIONS}
            value={valueOf('status')}
            onChange={(value) => choose('status', value)}
          />
          <DateField label="From" value={valueOf('from')} onChange={(value) => choose('from', value)} />
          <DateField label="To" value={valueOf('to')} onChange={(value) => choose('to', value)} />
        </>
      )}
    </Filters>
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
  const { rows, place } = useHeldRows({
    rows: pages.nodes?.map((row) => told.get(row.id) ?? row),
    keyOf: ({ id }) => id,
    of: pages.of,
  });
  const table = (of: readonly InvoiceRowFragment[]) => (
    <InvoiceTable rows={of} onMore={pages.loadMore} isLoadingMore={pages.isLoadingMore} />
  );
  return (
    <div ref={place}>
      <Listed {...{ isNarrowed, table }} pages={{ ...pages, nodes: rows }} things="invoices" newHref="/invoices/new" />
    </div>
  );
}

interface InvoiceTableProps {
  readonly rows: readonly InvoiceRowFragment[];
  readonly onMore?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
}

const InvoiceTable = (props: InvoiceTableProps): ReactNode => (
  <Table {...props} label="Invoices" choiceOf="invoices" columns={COLUMNS} keyOf={({ id }) => id} />
);

const COLUMNS: readonly Column<InvoiceRowFragment>[] = [
  {
    title: 'Invoice',
    isFixed: true,
    phone: 'first',
    cell: ({ id, merchantInvoiceId, description }) => (
      <Link href={`/invoices/${id}`} className={classOfName(merchantInvoiceId ?? description ?? '')}>
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
  {
    title: 'E-mail',
    isExtra: true,
    phone: 'off',
    cell: ({ customerEmail }) => customerEmail && <Email address={customerEmail} />,
  },
  { title: 'Id', isExtra: true, phone: 'off', cell: ({ id }) => <Copy value={id} label="invoice id" isShort /> },
  { title: 'Created', phone: 'second-end', cell: ({ createdAt }) => <Time value={createdAt} /> },
];
