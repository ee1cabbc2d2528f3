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

/** Null fields do not filter. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | null;
  readonly eventId?: string | null;
  readonly paymentId?: string | null;
}

/** Like `usePages`, with live updates merged in: new deliveries first, without those that no longer match. */
export function useDeliveries({ status = null, eventId = null, paymentId = null }: DeliveryFilter) {
  const pages = usePages({
    query: DeliveriesDocument,
    variables: { filter: { ...(status && { status: [status] }), ...(eventId && { eventId }), paymentId } },
    read: (data) => data.webhookDeliveries,
    keyOf: ({ deliveryId }: DeliveryRowFragment) => deliveryId,
  });
  const { told, tell, forget } = useTold<DeliveryRowFragment>();
  useEffect(forget, [status, eventId, paymentId, forget]);
  useSubscription({ query: DeliveryUpdatedDocument }, (_before, data) => {
    const delivery = data.webhookDeliveryUpdated;
    tell(delivery.deliveryId, delivery);
    return data;
  });
  const fits = (delivery: DeliveryRowFragment) =>
    (status === null || delivery.status === status) &&
    (eventId === null || delivery.eventId === eventId) &&
    (paymentId === null || delivery.paymentId === paymentId);
  const listed = pages.nodes?.map((node) => newer(node, told.get(node.deliveryId)));
  const known = new Set(listed?.map(({ deliveryId }) => deliveryId));
  const added = [...told.values()].filter(({ deliveryId }) => !known.has(deliveryId)).reverse();
  return { ...pages, nodes: listed && [...added, ...listed].filter(fits) };
}

/** The newer of a loaded delivery and its live update: a list loaded after the update may have more attempts. */
function newer(read: DeliveryRowFragment, told: DeliveryRowFragment | undefined): DeliveryRowFragment {
  return told && told.attempts >= read.attempts ? told : read;
}
