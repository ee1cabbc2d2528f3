// The deliveries that match a filter, updated live.

import { useEffect } from 'react';
import { useSubscription } from 'urql';
import {
  DeliveriesDocument,
  DeliveryUpdatedDocument,
  type DeliveryRowFragment,
  type DeliveryStatus,
} from '../../generated/operations.ts';
import { usePages, useTold } from '../../components/hooks/use-pages.ts';
import { useThrottled } from '../../components/hooks/use-throttled.ts';

/** Null fields do not filter. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | null;
  readonly eventId?: string | null;
  readonly paymentId?: string | null;
}

/** Like `usePages`, with live updates merged in: without those that no longer match, and new ones within a second. */
export function useDeliveries({ status = null, eventId = null, paymentId = null }: DeliveryFilter) {
  const pages = usePages({
    query: DeliveriesDocument,
    variables: { filter: { ...(status && { status: [status] }), ...(eventId && { eventId }), paymentId } },
    read: (data) => data.webhookDeliveries,
    keyOf: ({ deliveryId }: DeliveryRowFragment) => deliveryId,
  });
  const { told, tell, forget, isListed } = useTold<DeliveryRowFragment>(
    pages.nodes?.map(({ deliveryId }) => deliveryId),
  );
  const onNew = useThrottled(pages.refresh);
  useEffect(forget, [status, eventId, paymentId, forget]);
  const fits = (delivery: DeliveryRowFragment) =>
    (status === null || delivery.status === status) &&
    (eventId === null || delivery.eventId === eventId) &&
    (paymentId === null || delivery.paymentId === paymentId);
  useSubscription({ query: DeliveryUpdatedDocument }, (_before, data) => {
    const delivery = data.webhookDeliveryUpdated;
    if (isListed(delivery.deliveryId)) tell(delivery.deliveryId, delivery);
    else if (fits(delivery)) onNew();
    return data;
  });
  return { ...pages, nodes: pages.nodes?.map((node) => newer(node, told.get(node.deliveryId))).filter(fits) };
}

/** The newer of a loaded delivery and its live update: a list loaded after the update may have more attempts. */
function newer(read: DeliveryRowFragment, told: DeliveryRowFragment | undefined): DeliveryRowFragment {
  return told && told.attempts >= read.attempts ? told : read;
}
