// The deliveries of all endpoints, with a button that resends the failed ones.

import { useState, type ReactNode } from 'react';
import type { DeliveryStatus } from '../../generated/operations.ts';
import { wordsOf } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { DeliveryTable } from './delivery-table.tsx';
import { ResendFailed } from './resend-failed.tsx';
import { useDeliveries } from './use-deliveries.ts';

const STATES: readonly DeliveryStatus[] = ['RETRYING', 'SUCCESS', 'FAILED', 'DISABLED'];
const OPTIONS = [
  ['', 'All'],
  // Not from `wordsOf`, where PENDING is the status of a payment.
  ['PENDING', 'Not tried yet'],
  ...STATES.map((state) => [state, wordsOf(state)] as const),
] as const;

export function Deliveries(): ReactNode {
  const [status, setStatus] = useState('');
  const [eventId, setEventId] = useState('');
  const [isResending, setResending] = useState(false);
  const id = eventId.trim();
  const { nodes, error, loadMore, isLoadingMore, refresh } = useDeliveries({
    status: status === '' ? null : (status as DeliveryStatus),
    eventId: id === '' ? null : id,
  });
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
        <Empty title={status || id ? 'No deliveries match.' : 'Nothing has been delivered yet.'}>
          <p>Deliveries appear here as soon as a payment changes or you send a test event.</p>
        </Empty>
      )}
      {nodes && nodes.length > 0 && <DeliveryTable rows={nodes} onMore={loadMore} isLoadingMore={isLoadingMore} />}
      <ResendFailed isOpen={isResending} onClose={() => setResending(false)} />
    </Sheet>
  );
}
