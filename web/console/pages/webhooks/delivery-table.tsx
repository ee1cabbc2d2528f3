// A table of deliveries: the result of each, a drawer with its attempts and what was sent, and a button that resends
// it.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { messageOf } from '../../errors.ts';
import { ResendEventDocument, type DeliveryRowFragment } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Status } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { DeliveryDetails } from './delivery-details.tsx';
import '../../style/webhooks.css';

interface DeliveryTableProps {
  readonly rows: readonly DeliveryRowFragment[];
  /** On the payment's own page: nothing links to it. */
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
        columns={[...COLUMNS, actionsColumn({ onShow: setShown, onResend })]}
        {...more}
      />
      <DeliveryDetails
        delivery={rows.find(({ deliveryId }) => deliveryId === shown)}
        isOfOnePayment={isOfOnePayment}
        onResend={onResend}
        onClose={() => setShown(null)}
      />
    </>
  );
}

function useResend(): (delivery: DeliveryRowFragment) => void {
  const [, resend] = useMutation(ResendEventDocument);
  return ({ eventId }) =>
    void resend({ eventId }).then(({ error }) => announce(error ? messageOf(error) : 'The event is sent again'));
}

const COLUMNS: readonly Column<DeliveryRowFragment>[] = [
  { title: 'Event', cell: ({ eventType }) => eventType },
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
    title: 'Last attempt',
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
      <Button look="link" aria-label={`Resend ${delivery.eventId}`} onPress={() => onResend(delivery)}>
        Resend
      </Button>
    </span>
  ),
});

const triesOf = ({ attempts }: DeliveryRowFragment) => (attempts === 1 ? '1 attempt' : `${String(attempts)} attempts`);
