// One batch: where it stands, and each of its withdrawals.

import { useCallback, type ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { useQuery } from 'urql';
import { PayoutBatchDocument, type BatchRowFragment } from '../../generated/operations.ts';
import { errorCodeOf } from '../../client.ts';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { usePolling } from '../../components/hooks/use-polling.ts';
import { Facts, Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { WithdrawalHistory } from '../wallet/withdrawal-history.tsx';
import { BatchState, isOpen, LOOK_EVERY_MS, nameOf } from './state.tsx';

export default function BatchPage(): ReactNode {
  const { id = '' } = useParams<{ id: string }>();
  const [{ data, error }, reload] = useQuery({ query: PayoutBatchDocument, variables: { id } });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const batch = data?.payoutBatch;
  usePolling(batch != null && isOpen(batch), refresh, LOOK_EVERY_MS);
  if (batch) return <Shown batch={batch} onChange={refresh} />;
  if (!error) return <Loading lines={6} />;
  if (errorCodeOf(error) !== '2004') return <Problem error={error} onRetry={refresh} />;
  return (
    <Empty title="Batch not found.">
      <Link href="/wallet/batches">All batches</Link>
    </Empty>
  );
}

interface ShownProps {
  readonly batch: BatchRowFragment;
  readonly onChange: () => void;
}

function Shown({ batch, onChange }: ShownProps): ReactNode {
  return (
    <>
      <p>
        <Link href="/wallet/batches">All batches</Link>
      </p>
      <Sheet title={nameOf(batch)}>
        <Facts
          rows={[
            ['Status', <BatchState key="status" batch={batch} />],
            ['Withdrawals', String(batch.rows)],
            ['Requested', <Time key="time" value={batch.createdAt} />],
          ]}
        />
      </Sheet>
      <WithdrawalHistory batchId={batch.id} onChange={onChange} />
    </>
  );
}
