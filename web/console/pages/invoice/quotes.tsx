// The quotes of an invoice, the quoted rate beside the market's, and the transactions that pay them.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { QuoteRowFragment, WholeInvoiceFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { Status } from '../../components/badge.tsx';
import { ExplorerLink } from '../../components/explorer-link.tsx';
import { Rate } from '../../components/rate.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty } from '../../components/states.tsx';
import { amountColumn, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';

interface PartProps {
  readonly invoice: WholeInvoiceFragment;
}

export function Quotes({ invoice: { payments, currency } }: PartProps): ReactNode {
  return (
    <Sheet title="Quotes">
      {payments.length === 0 ? (
        <Empty title="No coin has been chosen yet.">Each choice on the invoice page is shown here with its rate.</Empty>
      ) : (
        <Table
          label="Quotes"
          rows={payments}
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Payment',
              phone: 'first',
              cell: ({ id, amount, currency: coin, network }) => (
                <Link href={`/payments/${id}`} className="name-of">
                  <Amount value={amount} currency={coin} network={network} />
                </Link>
              ),
            },
            {
              title: 'Status',
              phone: 'first-end',
              cell: ({ status, exception }) => <Status status={status} exception={exception ?? null} />,
            },
            {
              title: 'Quoted rate',
              cell: ({ currency: coin, rate, quoteExpiresAt }) => (
                <span>
                  <Rate asset={coin} currency={currency} rate={rate} />{' '}
                  <span className="quietly below">
                    until <Time value={quoteExpiresAt} isExact />
                  </span>
                </span>
              ),
            },
            { title: 'Market rate', cell: (quote) => <Market quote={quote} currency={currency} /> },
            amountColumn('Received', ({ valueReceived }: QuoteRowFragment) => [valueReceived, currency]),
          ]}
        />
      )}
    </Sheet>
  );
}

function Market({ quote, currency }: { readonly quote: QuoteRowFragment; readonly currency: string }): ReactNode {
  const { marketRate, sources, spread } = quote;
  if (typeof marketRate !== 'string') return <span className="quietly">your fixed rate</span>;
  return (
    <span>
      <Rate asset={quote.currency} currency={currency} rate={marketRate} />{' '}
      <span className="quietly below">{[...sources, `spread ${String(spread / 100)} %`].join(', ')}</span>
    </span>
  );
}

export function Transactions({ invoice: { payments, currency } }: PartProps): ReactNode {
  const rows = payments.flatMap((quote) => quote.transactions.map((transaction) => ({ ...transaction, quote })));
  return (
    <Sheet title="Transactions">
      {rows.length === 0 ? (
        <Empty title="No money received yet.">A transfer shows here seconds after the customer sends it.</Empty>
      ) : (
        <Table
          label="Transactions"
          rows={rows}
          keyOf={({ txHash, seenAt, quote }) => `${quote.id}/${txHash}/${seenAt}`}
          columns={[
            {
              title: 'Transaction',
              phone: 'second',
              cell: ({ txHash, explorerUrl }) => <ExplorerLink txHash={txHash} explorerUrl={explorerUrl} />,
            },
            {
              title: 'Status',
              phone: 'first-end',
              cell: ({ status }) => <Status status={status === 'PENDING' ? 'CONFIRMING' : status} />,
            },
            amountColumn('Amount', ({ amount, quote }: (typeof rows)[number]) => [amount, quote.currency], 'first'),
            {
              title: 'Value',
              cell: ({ value, rate, quote }) => (
                <span>
                  <Amount value={value} currency={currency} />{' '}
                  <span className="quietly below">
                    at <Rate asset={quote.currency} currency={currency} rate={rate} />
                  </span>
                </span>
              ),
              isNumber: true,
            },
            { title: 'Seen', phone: 'second-end', cell: ({ seenAt }) => <Time value={seenAt} /> },
          ]}
        />
      )}
    </Sheet>
  );
}
