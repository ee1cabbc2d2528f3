// One invoice: its status, quotes, transactions, refunds and actions.

import { useCallback, type ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { useQuery, useSubscription } from 'urql';
import { isZero } from '../../amounts.ts';
import { errorCodeOf } from '../../client.ts';
import { InvoiceChangesDocument, InvoiceDocument, type WholeInvoiceFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { Status } from '../../components/badge.tsx';
import { Copy } from '../../components/copy.tsx';
import { inWords } from '../../components/forms/asset-checks.tsx';
import { Facts, Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { useThrottled } from '../../components/hooks/use-throttled.ts';
import { InvoiceActions } from './actions.tsx';
import { Quotes, Transactions } from './quotes.tsx';
import { May } from '../../components/may.tsx';
import { InvoiceRefunds } from './refunds.tsx';
import '../../style/payment.css';

export default function Invoice(): ReactNode {
  const { id = '' } = useParams<{ id: string }>();
  const [{ data, error }, reload] = useQuery({ query: InvoiceDocument, variables: { id } });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const onChange = useThrottled(refresh);
  useSubscription({ query: InvoiceChangesDocument, variables: { id } }, (_, change) => {
    onChange();
    return change;
  });
  if (data?.invoice) return <Whole invoice={data.invoice} onChange={refresh} />;
  if (error && errorCodeOf(error) !== '2004') return <Problem error={error} onRetry={refresh} />;
  if (!error) return <Loading lines={8} />;
  return (
    <Empty title="Invoice not found.">
      <Link href="/invoices">All invoices</Link>
    </Empty>
  );
}

interface PartProps {
  readonly invoice: WholeInvoiceFragment;
}

function Whole({ invoice, onChange }: PartProps & { onChange: () => void }): ReactNode {
  const { amount, currency, status, exception } = invoice;
  return (
    <>
      <p className="back">
        <Link href="/invoices">All invoices</Link>
      </p>
      <InvoiceActions invoice={invoice} onChange={onChange} />
      <section className="sheet summary" aria-label="Summary">
        <p className="asked">
          <Amount value={amount} currency={currency} />
        </p>
        <p role="status">
          <Status status={status} exception={exception ?? null} />
        </p>
        <Money invoice={invoice} />
      </section>
      <Quotes invoice={invoice} />
      <Transactions invoice={invoice} />
      <May permissions={['WITHDRAW']}>
        <InvoiceRefunds invoice={invoice} onChange={onChange} />
      </May>
      <Details invoice={invoice} />
    </>
  );
}

function Money({ invoice }: PartProps): ReactNode {
  const { currency, amountReceived, amountConfirmed, amountRefunded, amountDue } = invoice;
  const show = (value: string) => <Amount value={value} currency={currency} />;
  return (
    <Facts
      rows={[
        ['Received', show(amountReceived)],
        ['Confirmed', show(amountConfirmed)],
        isZero(amountDue) ? null : ['Still due', show(amountDue)],
        isZero(amountRefunded) ? null : ['Refunded', show(amountRefunded)],
      ]}
    />
  );
}

function Details({ invoice }: PartProps): ReactNode {
  const named = (prefix: string, texts: Record<string, unknown> | null | undefined) =>
    Object.entries(texts ?? {}).map(([name, value]) => [`${prefix}: ${name}`, String(value)] as const);
  return (
    <Sheet title="Details">
      <Facts
        rows={[
          ['Invoice ID', <Copy key="id" value={invoice.id} label="invoice id" />],
          invoice.merchantInvoiceId ? ['Your reference', invoice.merchantInvoiceId] : null,
          invoice.description ? ['Description', invoice.description] : null,
          ['Created', <Time key="created" value={invoice.createdAt} />],
          ['Expires', <Time key="expires" value={invoice.expiresAt} isExact />],
          invoice.settledAt ? ['Paid', <Time key="settled" value={invoice.settledAt} />] : null,
          ['Coins', invoice.acceptedAssets?.map(inWords).join(', ') ?? 'All'],
          ['Invoice page', <Copy key="page" value={invoice.invoiceUrl} label="invoice page's address" />],
          invoice.customerEmail ? ['Customer’s e-mail', invoice.customerEmail] : null,
          ...named('Customer', invoice.customer),
          invoice.linkId
            ? [
                'Payment link',
                <Link key="link" href={`/payment-links/${invoice.linkId}`}>{`…${invoice.linkId.slice(-8)}`}</Link>,
              ]
            : null,
          invoice.returnUrl ? ['Return URL', invoice.returnUrl] : null,
          invoice.callbackUrl ? ['Callback URL', invoice.callbackUrl] : null,
          ...named('Metadata', invoice.metadata),
          invoice.test ? ['Test', 'You marked this invoice as a test'] : null,
        ]}
      />
    </Sheet>
  );
}
