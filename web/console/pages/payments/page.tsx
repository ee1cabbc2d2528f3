// The list of payments: in views, searched by a piece of what is known of one, filtered by the URL's parameters, and
// updated live.

import { lazy, Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { networkName } from '../../networks.ts';
import {
  AssetsDocument,
  ExportFoundDocument,
  ExportPaymentsDocument,
  PaymentChangesDocument,
  PaymentsDocument,
  type PaymentFilter,
  type PaymentRowFragment,
  type PaymentStatus,
} from '../../generated/operations.ts';
import { May } from '../../components/may.tsx';
import { wordsOf } from '../../components/badge.tsx';
import { CsvExport } from '../../components/csv-export.tsx';
import { DateField } from '../../components/forms/date-field.tsx';
import { LinkButton } from '../../components/forms/link-button.tsx';
import { Filters } from '../../components/lists/filters.tsx';
import { inForce, ofChoice, ofDay, ofText, type FilterWords } from '../../components/lists/in-force.ts';
import { useHeldRows } from '../../components/lists/use-held-rows.ts';
import { PageActions } from '../../components/page-head.tsx';
import { PaymentTable } from '../../components/payment-table.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Found, Listed, MOST_FOUND } from '../../components/search/searched-list.tsx';
import { useChanges } from '../../components/hooks/use-changes.ts';
import { useChoices, type Choices } from '../../components/hooks/use-choices.ts';
import { useThrottled } from '../../components/hooks/use-throttled.ts';
import { usePages, useTold } from '../../components/hooks/use-pages.ts';
import { filterOfView, useCounts, Views } from './views.tsx';
import '../../style/payments.css';

const Look = lazy(() => import('./look.tsx'));
const Bulk = lazy(() => import('./bulk.tsx').then((part) => ({ default: part.Bulk })));

const STATUSES: readonly PaymentStatus[] = [
  ...(['PENDING', 'PARTIALLY_PAID', 'CONFIRMING'] as const),
  ...(['SUCCEEDED', 'FAILED', 'EXPIRED', 'CANCELED', 'PARTIALLY_REFUNDED', 'REFUNDED'] as const),
];
const STATUS_OPTIONS = [['', 'Any'], ...STATUSES.map((status) => [status, wordsOf(status)] as const)] as const;
const WAYS =
  'A search finds the beginning of a reference, an e-mail address, a product or an id, and whole addresses and transactions.';

export default function PaymentsPage(): ReactNode {
  const choices = useChoices();
  const { parameters, choose } = choices;
  const { counts, reload } = useCounts();
  const search = parameters.get('search')?.trim() ?? '';
  const filter = useMemo(() => filterOf(parameters), [parameters]);
  const onLook = useCallback((id: string | null) => choose('look', id ?? ''), [choose]);
  const own = { look: parameters.get('look'), onLook, onChange: reload };
  return (
    <>
      <PageActions>
        {search === '' ? (
          <CsvExport
            {...EXPORT}
            query={ExportPaymentsDocument}
            variables={{ filter }}
            read={({ payments }) => payments}
          />
        ) : (
          <CsvExport
            {...EXPORT}
            query={ExportFoundDocument}
            variables={{ text: search, first: MOST_FOUND }}
            read={({ search: { payments } }) => ({ nodes: payments, pageInfo: { hasNextPage: false } })}
          />
        )}
        <May permissions={['CREATE_PAYMENTS']}>
          <LinkButton href="/payments/new">New payment</LinkButton>
        </May>
      </PageActions>
      <Views {...{ parameters, counts }} />
      <section className="sheet" aria-label="Payments">
        <PaymentFilters {...choices} />
        {search === '' ? (
          <Payments {...own} filter={filter} isNarrowed={isNarrowed(parameters)} />
        ) : (
          <Found
            text={search}
            things="payments"
            read={({ payments }) => payments}
            ways={WAYS}
            table={(rows, again) => (
              <Rows
                {...own}
                rows={rows}
                onChange={() => {
                  again();
                  reload();
                }}
              />
            )}
            others={({ invoices }) => (invoices.length > 0 ? [['Invoices', '/invoices']] : [])}
          />
        )}
      </section>
    </>
  );
}

const isNarrowed = (parameters: URLSearchParams) => [...parameters.keys()].some((name) => name !== 'look');

function filterOf(parameters: URLSearchParams): PaymentFilter {
  const status = parameters.get('status');
  const [currency, network] = parameters.get('asset')?.split('/') ?? [];
  const [from, to] = [parameters.get('from'), parameters.get('to')];
  return {
    ...filterOfView(parameters.get('view')),
    ...(status && { status: [status as PaymentStatus] }),
    ...(currency && network && { currency, network }),
    ...(from && { startDate: from }),
    ...(to && { endDate: to }),
  };
}

/** A search is by itself: it finds payments whatever their state and day. */
function PaymentFilters(choices: Choices): ReactNode {
  const { parameters, choose } = choices;
  const [{ data }] = useQuery({ query: AssetsDocument });
  const assets = (data?.currencies ?? []).map(
    ({ currency, network }) => [`${currency}/${network}`, `${currency} on ${networkName(network)}`] as const,
  );
  const valueOf = (name: string) => parameters.get(name) ?? '';
  const isSearched = valueOf('search') !== '';
  const words: FilterWords = isSearched
    ? { search: ofText('Search') }
    : {
        status: ofChoice('Status', STATUS_OPTIONS),
        asset: ofChoice('Currency', assets),
        from: ofDay('From'),
        to: ofDay('To'),
      };
  return (
    <Filters
      {...choices}
      search="Reference, e-mail address, product, address, transaction or id"
      inForce={inForce(parameters, words)}
    >
      {!isSearched && (
        <>
          <Select
            label="Status"
            options={STATUS_OPTIONS}
            value={valueOf('status')}
            onChange={(value) => choose('status', value)}
          />
          <Select
            label="Currency"
            options={[['', 'Any'], ...assets]}
            value={valueOf('asset')}
            onChange={(value) => choose('asset', value)}
          />
          <DateField label="From" value={valueOf('from')} onChange={(value) => choose('from', value)} />
          <DateField label="To" value={valueOf('to')} onChange={(value) => choose('to', value)} />
        </>
      )}
    </Filters>
  );
}

interface ListProps {
  /** The id of the payment that is looked at. */
  readonly look: string | null;
  readonly onLook: (id: string | null) => void;
  /** Something has changed that is counted. */
  readonly onChange: () => void;
}

interface RowsProps extends ListProps {
  readonly rows: readonly PaymentRowFragment[];
  readonly onMore?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
}

/** The rows, what is done with those that are selected, and the look at one of them. */
function Rows({ rows, look, onLook, onChange, onMore, isLoadingMore = false }: RowsProps): ReactNode {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = rows.filter(({ id }) => selected.has(id));
  const onSelect = (id: string, isSelected: boolean) =>
    setSelected((now) => new Set(isSelected ? [...now, id] : [...now].filter((one) => one !== id)));
  return (
    <>
      <PaymentTable label="Payments" {...{ rows, onMore, isLoadingMore }} choice={{ selected, onSelect, onLook }} />
      <Suspense>
        {chosen.length > 0 && <Bulk rows={chosen} onClear={() => setSelected(new Set())} onChange={onChange} />}
        {look !== null && <Look id={look} listed={rows.map(({ id }) => id)} onLook={onLook} />}
      </Suspense>
    </>
  );
}

interface PaymentsProps extends ListProps {
  readonly filter: PaymentFilter;
  readonly isNarrowed: boolean;
}

function Payments({ filter, isNarrowed: narrowed, onChange: onCounted, ...own }: PaymentsProps): ReactNode {
  const pages = usePages({
    query: PaymentsDocument,
    variables: { filter, first: 25 },
    read: ({ payments }) => payments,
    keyOf: ({ id }: PaymentRowFragment) => id,
  });
  const { told, tell } = useTold<PaymentRowFragment>(pages.nodes?.map(({ id }) => id));
  const refresh = () => {
    pages.refresh();
    onCounted();
  };
  const onChange = useThrottled(refresh);
  useChanges(PaymentChangesDocument, {}, ({ paymentUpdated: payment }) => {
    tell(payment.id, payment);
    onChange();
  });
  const { rows, place } = useHeldRows({
    rows: pages.nodes?.map((row) => told.get(row.id) ?? row),
    keyOf: ({ id }) => id,
    of: pages.of,
  });
  const table = (of: readonly PaymentRowFragment[]) => (
    <Rows {...own} rows={of} onChange={refresh} onMore={pages.loadMore} isLoadingMore={pages.isLoadingMore} />
  );
  return (
    <div ref={place}>
      <Listed
        pages={{ ...pages, nodes: rows }}
        table={table}
        isNarrowed={narrowed}
        things="payments"
        newHref="/payments/new"
      />
    </div>
  );
}

/** What is listed is what is saved. */
const EXPORT = {
  action: 'Export as CSV',
  named: ['payment', 'payments'],
  columns: [
    ...[
      'id',
      'merchantOrderId',
      'productName',
      'customerEmail',
      'status',
      'exception',
      'currency',
      'network',
      'amount',
    ],
    ...['amountReceived', 'amountConfirmed', 'amountRefunded', 'feeAmount', 'address', 'createdAt', 'completedAt'],
  ],
} as const;
