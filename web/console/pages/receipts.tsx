// Receipts: every deposit that was credited, with what it was worth in fiat then; as a list and as a file.

import { useMemo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { ReceiptsDocument, type ReceiptFilter, type ReceiptRowFragment } from '../generated/operations.ts';
import { Amount } from '../components/amount.tsx';
import { Badge } from '../components/badge.tsx';
import { Copy } from '../components/copy.tsx';
import { CsvExport } from '../components/csv-export.tsx';
import { DateField } from '../components/forms/date-field.tsx';
import { Sheet } from '../components/overlays/sheet.tsx';
import { Filters } from '../components/lists/filters.tsx';
import { inForce, ofDay, ofText, type FilterWords } from '../components/lists/in-force.ts';
import { PageActions } from '../components/page-head.tsx';
import { Rate } from '../components/rate.tsx';
import { SectionLinks } from '../components/section-links.tsx';
import { Empty, Loading, Problem } from '../components/states.tsx';
import { Table, type Column } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { useChoices } from '../components/hooks/use-choices.ts';
import { usePages } from '../components/hooks/use-pages.ts';
import { classOfName } from '../components/lists/names.ts';

/** The columns of the CSV file, the same as in the API's (contract-invoices, section 10). */
const CSV_COLUMNS = [
  ...['creditedAt', 'orderId', 'invoiceId', 'merchantOrderId', 'merchantInvoiceId', 'txHash', 'currency', 'network'],
  ...['amount', 'fee', 'net', 'fiatCurrency', 'rate', 'rateAt', 'fiatAmount', 'fiatFee', 'fiatNet', 'reversedAt'],
];

const WORDS: FilterWords = { search: ofText('Search'), from: ofDay('From'), to: ofDay('To') };

export default function Receipts(): ReactNode {
  const choices = useChoices();
  const { parameters, choose } = choices;
  const filter = useMemo(() => filterOf(parameters), [parameters]);
  const valueOf = (name: string) => parameters.get(name) ?? '';
  return (
    <>
      <SectionLinks section="Reports" />
      <PageActions>
        {filter && (
          <CsvExport
            action="Download CSV"
            named={['receipt', 'receipts']}
            query={ReceiptsDocument}
            variables={{ filter, first: 100 }}
            read={({ receipts }) => receipts}
            columns={CSV_COLUMNS}
          />
        )}
      </PageActions>
      <Sheet title="Credited deposits">
        <Filters {...choices} search="Payment or invoice id" inForce={inForce(parameters, WORDS)}>
          <DateField label="From" value={valueOf('from')} onChange={(value) => choose('from', value)} />
          <DateField label="To" value={valueOf('to')} onChange={(value) => choose('to', value)} />
        </Filters>
        <p className="hint">Days are in UTC; the last day is included.</p>
        {filter ? (
          <Listed filter={filter} isNarrowed={parameters.size > 0} />
        ) : (
          <Empty title="This is not a payment or invoice ID.">
            <p>Payment IDs begin with ord_, invoice IDs with inv_.</p>
          </Empty>
        )}
      </Sheet>
    </>
  );
}

/** The filter by the page's parameters; null if what is searched for is no id. */
function filterOf(parameters: URLSearchParams): ReceiptFilter | null {
  const search = parameters.get('search')?.trim() ?? '';
  const name = /^ord_\w+$/.test(search) ? 'orderId' : /^inv_\w+$/.test(search) ? 'invoiceId' : null;
  if (search !== '' && name === null) return null;
  const [from, to] = [parameters.get('from'), parameters.get('to')];
  return { ...(name && { [name]: search }), ...(from && { startDate: from }), ...(to && { endDate: to }) };
}

interface ListedProps {
  readonly filter: ReceiptFilter;
  readonly isNarrowed: boolean;
}

function Listed({ filter, isNarrowed }: ListedProps): ReactNode {
  const { nodes, error, loadMore, isLoadingMore, refresh } = usePages({
    query: ReceiptsDocument,
    variables: { filter, first: 25 },
    read: ({ receipts }) => receipts,
    keyOf: ({ id }: ReceiptRowFragment) => id,
  });
  if (error && !nodes) return <Problem error={error} onRetry={refresh} />;
  if (!nodes) return <Loading lines={6} />;
  if (nodes.length === 0)
    return isNarrowed ? (
      <Empty title="No receipts match.">Change or remove a filter to see others.</Empty>
    ) : (
      <Empty title="No receipts yet.">
        <p>Each deposit gets one as soon as it is credited.</p>
      </Empty>
    );
  return (
    <>
      {error && <Problem error={error} />}
      <Table
        label="Receipts"
        rows={nodes}
        keyOf={({ id }) => id}
        columns={COLUMNS}
        onMore={loadMore}
        isLoadingMore={isLoadingMore}
      />
    </>
  );
}

/** Why a receipt has no value. */
const unvalued = ({ fiatCurrency }: ReceiptRowFragment) => (
  <span className="quietly">{fiatCurrency ? 'no rate' : 'no currency'}</span>
);

function Worth({ receipt }: { readonly receipt: ReceiptRowFragment }): ReactNode {
  const { fiatCurrency: fiat, fiatAmount, fiatFee, fiatNet } = receipt;
  if (!fiat || !fiatAmount || !fiatFee || !fiatNet) return unvalued(receipt);
  return (
    <span>
      <Amount value={fiatAmount} currency={fiat} />{' '}
      <span className="quietly below">
        fee <Amount value={fiatFee} currency={fiat} />, net <Amount value={fiatNet} currency={fiat} />
      </span>
    </span>
  );
}

const COLUMNS: readonly Column<ReceiptRowFragment>[] = [
  {
    title: 'Credited',
    cell: ({ creditedAt, reversedAt }) => (
      <span>
        <Time value={creditedAt} isExact />{' '}
        {reversedAt && (
          <span className="below">
            <Badge tone="bad">Reversed</Badge>{' '}
            <span className="quietly">
              <Time value={reversedAt} isExact />
            </span>
          </span>
        )}
      </span>
    ),
  },
  {
    title: 'Paid for',
    cell: ({ orderId, invoiceId, merchantOrderId, merchantInvoiceId }) => (
      <Link
        href={invoiceId ? `/invoices/${invoiceId}` : `/payments/${orderId}`}
        className={classOfName(merchantInvoiceId ?? merchantOrderId ?? '')}
      >
        {merchantInvoiceId ?? merchantOrderId ?? `…${(invoiceId ?? orderId).slice(-8)}`}
      </Link>
    ),
  },
  {
    title: 'Amount',
    isNumber: true,
    cell: ({ amount, fee, net, currency, network }) => (
      <span>
        <Amount value={amount} currency={currency} network={network} />{' '}
        <span className="quietly below">
          fee <Amount value={fee} currency={currency} />, net <Amount value={net} currency={currency} />
        </span>
      </span>
    ),
  },
  { title: 'Value', isNumber: true, cell: (receipt) => <Worth receipt={receipt} /> },
  {
    title: 'Market rate',
    cell: (receipt) => {
      const { currency, fiatCurrency, rate, rateAt } = receipt;
      if (!fiatCurrency || !rate || !rateAt) return unvalued(receipt);
      return (
        <span>
          <Rate asset={currency} currency={fiatCurrency} rate={rate} />{' '}
          <span className="quietly below">
            of <Time value={rateAt} isExact />
          </span>
        </span>
      );
    },
  },
  { title: 'Transaction', cell: ({ txHash }) => <Copy value={txHash} label="transaction's hash" isShort /> },
];
