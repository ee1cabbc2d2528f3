// The list of payments: searched by reference or id, filtered by the URL's parameters, updated live.

import { useMemo, type ReactNode } from 'react';
import { useQuery, useSubscription } from 'urql';
import { networkName } from '../networks.ts';
import {
  AssetsDocument,
  ExportPaymentsDocument,
  PaymentByIdDocument,
  PaymentChangesDocument,
  PaymentsDocument,
  type PaymentFilter,
  type PaymentRowFragment,
  type PaymentStatus,
} from '../generated/operations.ts';
import { May } from '../components/may.tsx';
import { wordsOf } from '../components/badge.tsx';
import { CsvExport } from '../components/csv-export.tsx';
import { DateField } from '../components/forms/date-field.tsx';
import { LinkButton } from '../components/forms/link-button.tsx';
import { PageActions } from '../components/page-head.tsx';
import { PaymentTable } from '../components/payment-table.tsx';
import { SearchForm } from '../components/forms/search-form.tsx';
import { Select } from '../components/forms/select.tsx';
import { Sheet } from '../components/overlays/sheet.tsx';
import { Found, Listed } from '../components/searched-list.tsx';
import { useChoices, type Choices } from '../components/hooks/use-choices.ts';
import { useThrottled } from '../components/hooks/use-throttled.ts';
import { usePages, useTold } from '../components/hooks/use-pages.ts';

const OPEN: readonly PaymentStatus[] = ['PENDING', 'PARTIALLY_PAID', 'CONFIRMING'];
const STATUSES: readonly PaymentStatus[] = [
  ...OPEN,
  ...(['SUCCEEDED', 'FAILED', 'EXPIRED', 'CANCELED', 'PARTIALLY_REFUNDED', 'REFUNDED'] as const),
];
const STATUS_OPTIONS = [
  ['', 'Any'],
  ['OPEN', 'All open'],
  ...STATUSES.map((status) => [status, wordsOf(status)] as const),
] as const;

export default function PaymentsPage(): ReactNode {
  const { parameters, choose } = useChoices();
  const search = parameters.get('search')?.trim() ?? '';
  const filter = useMemo(() => filterOf(parameters), [parameters]);
  return (
    <>
      <PageActions>
        <CsvExport
          action="Export as CSV"
          named={['payment', 'payments']}
          query={ExportPaymentsDocument}
          variables={{ filter }}
          read={({ payments }) => payments}
          columns={EXPORTED}
        />
        <May permissions={['CREATE_PAYMENTS']}>
          <LinkButton href="/payments/new">New payment</LinkButton>
        </May>
      </PageActions>
      <Sheet title="All payments">
        <Filters parameters={parameters} choose={choose} />
        {/^ord_\w+$/.test(search) ? (
          <Found
            query={PaymentByIdDocument}
            id={search}
            read={({ payment }) => payment}
            thing="payment"
            table={(rows) => <PaymentTable label="Payments" rows={rows} />}
          />
        ) : (
          <Payments filter={filter} isNarrowed={parameters.size > 0} />
        )}
      </Sheet>
    </>
  );
}

function filterOf(parameters: URLSearchParams): PaymentFilter {
  const status = parameters.get('status');
  const [currency, network] = parameters.get('asset')?.split('/') ?? [];
  const search = parameters.get('search')?.trim();
  const [from, to] = [parameters.get('from'), parameters.get('to')];
  return {
    ...(status && { status: status === 'OPEN' ? [...OPEN] : [status as PaymentStatus] }),
    ...(currency && network && { currency, network }),
    ...(search && { merchantOrderId: search }),
    ...(from && { startDate: from }),
    ...(to && { endDate: to }),
  };
}

function Filters({ parameters, choose }: Choices): ReactNode {
  const [{ data }] = useQuery({ query: AssetsDocument });
  const assets = (data?.currencies ?? []).map(
    ({ currency, network }) => [`${currency}/${network}`, `${currency} on ${networkName(network)}`] as const,
  );
  const valueOf = (name: string) => parameters.get(name) ?? '';
  return (
    <SearchForm label="Full reference or payment id" parameters={parameters} choose={choose}>
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
    </SearchForm>
  );
}

interface PaymentsProps {
  readonly filter: PaymentFilter;
  readonly isNarrowed: boolean;
}

function Payments({ filter, isNarrowed }: PaymentsProps): ReactNode {
  const pages = usePages({
    query: PaymentsDocument,
    variables: { filter, first: 25 },
    read: ({ payments }) => payments,
    keyOf: ({ id }: PaymentRowFragment) => id,
  });
  const { told, tell } = useTold<PaymentRowFragment>(pages.nodes?.map(({ id }) => id));
  const onChange = useThrottled(pages.refresh);
  useSubscription({ query: PaymentChangesDocument, variables: {} }, (_, change) => {
    const { paymentUpdated: payment } = change;
    tell(payment.id, payment);
    onChange();
    return change;
  });
  const table = (rows: readonly PaymentRowFragment[]) => (
    <PaymentTable
      label="Payments"
      rows={rows.map((row) => told.get(row.id) ?? row)}
      onMore={pages.loadMore}
      isLoadingMore={pages.isLoadingMore}
    />
  );
  return <Listed {...{ pages, isNarrowed, table }} things="payments" newHref="/payments/new" />;
}

const EXPORTED = [
  ...['id', 'merchantOrderId', 'productName', 'customerEmail', 'status', 'exception', 'currency', 'network', 'amount'],
  ...['amountReceived', 'amountConfirmed', 'amountRefunded', 'feeAmount', 'address', 'createdAt', 'completedAt'],
];
