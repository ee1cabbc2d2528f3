// A table of deliveries: the result of each, its attempts, and a button that resends it.

import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useMutation } from 'urql';
import { messageOf } from '../../errors.ts';
import { ResendEventDocument, type DeliveryRowFragment } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Status } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Copy } from '../../components/copy.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { Attempts } from './attempts.tsx';

interface DeliveryTableProps {
  readonly rows: readonly DeliveryRowFragment[];
  /** On the payment's own page: rows do not link to it. */
  readonly isOfOnePayment?: boolean;
  readonly onMore?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
}

export function DeliveryTable({ rows, isOfOnePayment = false, ...more }: DeliveryTableProps): ReactNode {
  const [shown, setShown] = useState<string | null>(null);
  const onResend = useResend();
  return (
    <>
      <Table
        label="Deliveries"
        rows={rows}
        keyOf={({ deliveryId }) => deliveryId}
        columns={[eventColumn(isOfOnePayment), ...COLUMNS, actionsColumn({ onShow: setShown, onResend })]}
        {...more}
      />
      <Attempts delivery={rows.find(({ deliveryId }) => deliveryId === shown)} onClose={() => setShown(null)} />
    </>
  );
}

function useResend(): (delivery: DeliveryRowFragment) => void {
  const [, resend] = useMutation(ResendEventDocument);
  return ({ eventId }) =>
    void resend({ eventId }).then(({ error }) => announce(error ? messageOf(error) : 'The event is sent again'));
}

const eventColumn = (isOfOnePayment: boolean): Column<DeliveryRowFragment> => ({
  title: 'Event',
  cell: ({ eventId, eventType, paymentId }) => (
    <span>
      {eventType}
      <span className="below">
        <Copy value={eventId} label="event id" isShort />
      </span>
      {paymentId !== null && !isOfOnePayment && (
        <span className="below">
          <Link href={`/payments/${paymentId}`}>
            The payment<span className="unseen"> {paymentId}</span>
          </Link>
        </span>
      )}
    </span>
  ),
});

const COLUMNS: readonly Column<DeliveryRowFragment>[] = [
  { title: 'To', cell: ({ url }) => <span className="long">{url}</span> },
  {
    title: 'Status',
    cell: (delivery) => (
      <span>
        {delivery.status === 'PENDING' ? 'Not tried yet' : <Status status={delivery.status} />}
        {delivery.nextRetryAt !== null && (
          <span className="quietly below">
            again <Time value={delivery.nextRetryAt} />
          </span>
        )}
      </span>
    ),
  },
  {
    title: 'Answer',
    cell: ({ attempts, responseCode, responseTimeMs }) =>
      attempts === 0 ? (
        <span className="quietly">none yet</span>
      ) : (
        <span>
          {responseCode ?? 'none'}
          {responseTimeMs !== null && <span className="quietly"> in {responseTimeMs} ms</span>}
        </span>
      ),
  },
  {
    title: 'Last try',
    cell: ({ lastAttemptAt }) =>
      lastAttemptAt === null ? <span className="quietly">none yet</span> : <Time value={lastAttemptAt} />,
  },
];

interface DeliveryActions {
  readonly onShow: (deliveryId: string) => void;
  readonly onResend: (delivery: DeliveryRowFragment) => void;
}

const actionsColumn = ({ onShow, onResend }: DeliveryActions): Column<DeliveryRowFragment> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (delivery) => (
    <span className="row-actions">
      <Button
        look="link"
        aria-label={`${triesOf(delivery)} of ${delivery.eventId} to ${delivery.url}`}
        onPress={() => onShow(delivery.deliveryId)}
      >
        {triesOf(delivery)}
      </Button>
      <Button look="link" aria-label={`Send again ${delivery.eventId}`} onPress={() => onResend(delivery)}>
        Send again
      </Button>
    </span>
  ),
});

const triesOf = ({ attempts }: DeliveryRowFragment) => (attempts === 1 ? '1 attempt' : `${String(attempts)} attempts`);
