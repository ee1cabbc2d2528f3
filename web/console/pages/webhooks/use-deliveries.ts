// The deliveries that match a filter, updated live.

import { useEffect, useState } from 'react';
import { useChanges } from '../../components/hooks/use-changes.ts';
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
  readonly endpointId?: string | null;
  readonly eventType?: string | null;
  /** An instant. */
  readonly since?: string | null;
}

/** So many are listed at most; older ones are found by a filter. */
export const MOST_LISTED = 200;
/** With more than the first page, new ones are counted and not shown by themselves: they would move what is read. */
const FIRST_PAGE = 20;

/**
 * Like `usePages`, with live updates merged in: without those that no longer match, and new ones within a second, or
 * counted in `news` where more than the first page is listed.
 */
export function useDeliveries(filter: DeliveryFilter) {
  const { status, eventId, paymentId = null, endpointId, eventType, since } = filter;
  const variables = {
    ...(status && { status: [status] }),
    ...(eventId && { eventId }),
    ...(endpointId && { endpointId }),
    ...(eventType && { eventType }),
    ...(since && { since }),
    paymentId,
  };
  const pages = usePages({
    query: DeliveriesDocument,
    variables: { filter: variables },
    read: (data) => data.webhookDeliveries,
    keyOf: ({ deliveryId }: DeliveryRowFragment) => deliveryId,
  });
  const { told, tell, forget, isListed } = useTold<DeliveryRowFragment>(
    pages.nodes?.map(({ deliveryId }) => deliveryId),
  );
  const [news, setNews] = useState<ReadonlySet<string>>(new Set());
  const onNew = useThrottled(pages.refresh);
  const key = JSON.stringify(variables);
  useEffect(() => {
    forget();
    setNews(new Set());
  }, [key, forget]);
  const fits = (delivery: DeliveryRowFragment) =>
    (!status || delivery.status === status) &&
    (!eventId || delivery.eventId === eventId) &&
    (!endpointId || delivery.endpointId === endpointId) &&
    (!eventType || delivery.eventType === eventType) &&
    (paymentId === null || delivery.paymentId === paymentId);
  const isLong = (pages.nodes?.length ?? 0) > FIRST_PAGE;
  useChanges(DeliveryUpdatedDocument, {}, ({ webhookDeliveryUpdated: delivery }) => {
    if (isListed(delivery.deliveryId)) tell(delivery.deliveryId, delivery);
    else if (fits(delivery)) {
      if (!isLong) onNew();
      else setNews((now) => (now.size > MOST_LISTED ? now : new Set(now).add(delivery.deliveryId)));
    }
  });
  const nodes = pages.nodes?.map((node) => newer(node, told.get(node.deliveryId))).filter(fits);
  const isFull = (nodes?.length ?? 0) >= MOST_LISTED;
  return { ...pages, nodes: nodes?.slice(0, MOST_LISTED), news: news.size, isFull };
}

/** The newer of a loaded delivery and its live update: a list loaded after the update may have more attempts. */
function newer(read: DeliveryRowFragment, told: DeliveryRowFragment | undefined): DeliveryRowFragment {
  return told && told.attempts >= read.attempts ? told : read;
}
