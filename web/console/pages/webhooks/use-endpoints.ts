// The merchant's endpoints with what became of their attempts.

import { useCallback } from 'react';
import { useQuery, type CombinedError } from 'urql';
import {
  DeliveryUpdatedDocument,
  EndpointsDocument,
  EndpointStatisticsDocument,
  type EndpointRowFragment,
  type StatisticsRowFragment,
} from '../../generated/operations.ts';
import { useChanges } from '../../components/hooks/use-changes.ts';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { usePolling } from '../../components/hooks/use-polling.ts';
import { useThrottled } from '../../components/hooks/use-throttled.ts';

const EVERY_MS = 30_000;
/** The gateway counts attempts once a second. */
const COUNTED_AFTER_MS = 2_000;

export interface Endpoints {
  /** Undefined until they have loaded. */
  readonly endpoints: readonly EndpointRowFragment[] | undefined;
  /** By the endpoint's id; those without are still loading. */
  readonly statistics: ReadonlyMap<string, StatisticsRowFragment>;
  readonly error: CombinedError | undefined;
  readonly refresh: () => void;
}

/** The endpoints, and their statistics over this many hours, read again after attempts and while the page is open. */
export function useEndpoints(hours: number): Endpoints {
  const [{ data, error }, reload] = useQuery({ query: EndpointsDocument });
  const [counted, count] = useQuery({ query: EndpointStatisticsDocument, variables: { hours } });
  const refresh = useCallback(() => {
    reload({ requestPolicy: 'network-only' });
    count({ requestPolicy: 'network-only' });
  }, [reload, count]);
  useRefreshOnReturn(refresh);
  usePolling(true, refresh, EVERY_MS);
  const onAttempt = useThrottled(refresh, COUNTED_AFTER_MS, COUNTED_AFTER_MS);
  // The same question as that of the deliveries beside them: it is asked once.
  useChanges(DeliveryUpdatedDocument, {}, onAttempt);
  const rows = counted.data?.webhookEndpointStatistics ?? [];
  return {
    endpoints: data?.webhookEndpoints,
    statistics: new Map(rows.map((row) => [row.endpointId, row])),
    error: error ?? counted.error,
    refresh,
  };
}
