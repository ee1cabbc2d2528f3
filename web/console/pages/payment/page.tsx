// One payment: its status, timeline, transactions, refunds, webhook deliveries and actions.

import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { useQuery, useSubscription } from 'urql';
import { errorCodeOf } from '../../client.ts';
import { PaymentChangesDocument, PaymentDocument, type WholePaymentFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { Status } from '../../components/badge.tsx';
import { ExplorerLink } from '../../components/explorer-link.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useThrottled } from '../../components/hooks/use-throttled.ts';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { PaymentActions } from './actions.tsx';
import { Deliveries } from './deliveries.tsx';
import { Facts, Summary } from './facts.tsx';
import { May } from '../../components/may.tsx';
import { Refund } from './refund.tsx';
import { Refunds } from './refunds.tsx';
import { Timeline } from './timeline.tsx';
import '../../style/payment.css';

/** New blocks confirm a payment without changing it: while it is confirming, it is polled. */
const CONFIRMING_EVERY_MS = 5_000;

export default function Payment(): ReactNode {
  const { id = '' } = useParams<{ id: string }>();
  const [{ data, error }, reload] = useQuery({ query: PaymentDocument, variables: { id } });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const onChange = useThrottled(refresh);
  useSubscription({ query: PaymentChangesDocument, variables: { id } }, (_, change) => {
    onChange();
    return change;
  });
  const status = data?.payment?.status;
  useEffect(() => {
    if (status !== 'CONFIRMING') return;
    const timer = setInterval(refresh, CONFIRMING_EVERY_MS);
    return () => clearInterval(timer);
  }, [status, refresh]);
  if (data?.payment) return <Whole payment={data.payment} onChange={refresh} />;
  if (error && errorCodeOf(error) !== '2004') return <Problem error={error} onRetry={refresh} />;
  if (!error) return <Loading lines={8} />;
  return (
    <Empty title="You have no payment with this id.">
      <Link href="/payments">To all payments</Link>
    </Empty>
  );
}

interface PartProps {
  readonly payment: WholePaymentFragment;
}

function Whole({ payment, onChange }: PartProps & { onChange: () => void }): ReactNode {
  const { currency } = payment;
  const [refunds, setRefunds] = useState(0);
  return (
    <>
      <p className="back">
        <Link href="/payments">All payments</Link>
      </p>
      <PaymentActions payment={payment} onChange={onChange} />
      <Summary payment={payment} />
      <div className="halves">
        <Sheet title="What happened">
          <Timeline payment={payment} />
        </Sheet>
        <Sheet title="Details">
          <Facts payment={payment} />
        </Sheet>
      </div>
      <Transactions payment={payment} />
      <May permissions={['WITHDRAW']}>
        <Refunds paymentId={payment.id} currency={currency} turn={refunds} onChange={onChange} />
      </May>
      <May permissions={['MANAGE_WEBHOOKS']}>
        <Deliveries paymentId={payment.id} />
      </May>
      <May permissions={['WITHDRAW']}>
        <Refund
          payment={payment}
          onChange={() => {
            setRefunds((times) => times + 1);
            onChange();
          }}
        />
      </May>
    </>
  );
}

function Transactions({ payment: { transactions, currency } }: PartProps): ReactNode {
  return (
    <Sheet title="Transactions">
      {transactions.length === 0 ? (
        <Empty title="No money was seen yet.">It is shown here seconds after the customer has sent it.</Empty>
      ) : (
        <Table
          label="Transactions"
          rows={transactions}
          keyOf={({ txHash, seenAt }) => `${txHash}/${seenAt}`}
          columns={[
            {
              title: 'Transaction',
              cell: ({ txHash, explorerUrl }) => <ExplorerLink txHash={txHash} explorerUrl={explorerUrl} />,
            },
            {
              title: 'Status',
              cell: ({ status }) =>
                status === 'PENDING' ? <Status status="CONFIRMING" /> : <Status status={status} />,
            },
            { title: 'Amount', cell: ({ amount }) => <Amount value={amount} currency={currency} />, isNumber: true },
            { title: 'Confirmations', cell: ({ confirmations }) => confirmations, isNumber: true },
            { title: 'Seen', cell: ({ seenAt }) => <Time value={seenAt} /> },
          ]}
        />
      )}
    </Sheet>
  );
}
