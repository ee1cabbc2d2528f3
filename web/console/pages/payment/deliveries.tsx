// The webhook deliveries of a payment, and the answers of the merchant's servers.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { DeliveryTable } from '../webhooks/delivery-table.tsx';
import { useDeliveries } from '../webhooks/use-deliveries.ts';

export function Deliveries({ paymentId }: { readonly paymentId: string }): ReactNode {
  const { nodes, error, loadMore, isLoadingMore, refresh } = useDeliveries({ paymentId });
  return (
    <Sheet title="Webhooks" actions={<Link href="/webhooks">All webhooks</Link>}>
      {error && <Problem error={error} onRetry={refresh} />}
      {!nodes && !error && <Loading />}
      {nodes?.length === 0 && (
        <Empty title="No webhooks sent yet.">
          They are sent to your endpoints and the callback URL when the payment succeeds, fails, expires or is refunded.
        </Empty>
      )}
      {nodes && nodes.length > 0 && (
        <DeliveryTable rows={nodes} isOfOnePayment onMore={loadMore} isLoadingMore={isLoadingMore} />
      )}
    </Sheet>
  );
}
