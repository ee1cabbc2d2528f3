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

/** What is null does not narrow. */
export interface DeliveryFilter {
  readonly status?: DeliveryStatus | null;
  readonly eventId?: string | null;
  readonly paymentId?: string | null;
}

/** As `usePages`, with what changed since laid over it: new deliveries first, those that left the filter gone. */
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

/** A list read after it was told of something knows more. */
function newer(read: DeliveryRowFragment, told: DeliveryRowFragment | undefined): DeliveryRowFragment {
  return told && told.attempts >= read.attempts ? told : read;
}
