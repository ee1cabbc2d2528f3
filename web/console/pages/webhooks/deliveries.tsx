// What became of each event: deliveries with every attempt, and sending again.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { messageOf } from '../../errors.ts';
import { ResendEventDocument, type DeliveryRowFragment, type DeliveryStatus } from '../../operations.ts';
import { announce } from '../../parts/announcer.tsx';
import { Status, wordsOf } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Field } from '../../parts/field.tsx';
import { Select } from '../../parts/select.tsx';
import { Sheet } from '../../parts/sheet.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Attempts } from './attempts.tsx';
import { ResendFailed } from './resend-failed.tsx';
import { useDeliveries } from './use-deliveries.ts';

const STATES: readonly DeliveryStatus[] = ['RETRYING', 'SUCCESS', 'FAILED', 'DISABLED'];
const OPTIONS = [
  ['', 'All'],
  // As of a delivery; a payment's state of this name is another.
  ['PENDING', 'Not tried yet'],
  ...STATES.map((state) => [state, wordsOf(state)] as const),
] as const;

export function Deliveries(): ReactNode {
  const [status, setStatus] = useState('');
  const [eventId, setEventId] = useState('');
  const [shown, setShown] = useState<string | null>(null);
  const [isResending, setResending] = useState(false);
  const id = eventId.trim();
  const { nodes, error, loadMore, isLoadingMore, refresh } = useDeliveries({
    status: status === '' ? null : (status as DeliveryStatus),
    eventId: id === '' ? null : id,
  });
  const resend = useResend();
  return (
    <Sheet
      title="Deliveries"
      actions={
        <Button look="quiet" onPress={() => setResending(true)}>
          Resend failed
        </Button>
      }
    >
      <div className="filters">
        <Select label="Status" options={OPTIONS} value={status} onChange={setStatus} />
        <Field label="Event id" value={eventId} onChange={setEventId} placeholder="evt_…" autoComplete="off" />
      </div>
      {error && <Problem error={error} onRetry={refresh} />}
      {!nodes && !error && <Loading lines={6} />}
      {nodes?.length === 0 && (
        <Empty title={status || id ? 'No delivery is like that.' : 'Nothing has been delivered yet.'}>
          <p>When something happens to a payment, or you send a test event, it is here at once.</p>
        </Empty>
      )}
      {nodes && nodes.length > 0 && (
        <Table
          label="Deliveries"
          rows={nodes}
          keyOf={({ deliveryId }) => deliveryId}
          columns={columns({ onShow: setShown, onResend: resend })}
          onMore={loadMore}
          isLoadingMore={isLoadingMore}
        />
      )}
      <Attempts delivery={nodes?.find(({ deliveryId }) => deliveryId === shown)} onClose={() => setShown(null)} />
      <ResendFailed isOpen={isResending} onClose={() => setResending(false)} />
    </Sheet>
  );
}

function useResend(): (delivery: DeliveryRowFragment) => void {
  const [, resend] = useMutation(ResendEventDocument);
  return ({ eventId }) =>
    void resend({ eventId }).then(({ error }) => announce(error ? messageOf(error) : 'The event is sent again'));
}

interface DeliveryActions {
  readonly onShow: (deliveryId: string) => void;
  readonly onResend: (delivery: DeliveryRowFragment) => void;
}

function columns({ onShow, onResend }: DeliveryActions): readonly Column<DeliveryRowFragment>[] {
  return [
    { title: 'Event', cell: ({ eventId }) => <Copy value={eventId} label="event id" isShort /> },
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
    {
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
    },
  ];
}

const triesOf = ({ attempts }: DeliveryRowFragment) => (attempts === 1 ? '1 attempt' : `${String(attempts)} attempts`);
