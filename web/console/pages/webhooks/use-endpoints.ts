// The merchant's endpoints with what became of their attempts.

import { useCallback } from 'react';
import { useQuery, type CombinedError } from 'urql';
import {
  EndpointsDocument,
  EndpointStatisticsDocument,
  type EndpointRowFragment,
  type StatisticsRowFragment,
} from '../../generated/operations.ts';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { usePolling } from '../../components/hooks/use-polling.ts';

const EVERY_MS = 30_000;

export interface Endpoints {
  /** Undefined until they have loaded. */
  readonly endpoints: readonly EndpointRowFragment[] | undefined;
  /** By the endpoint's id; those without are still loading. */
  readonly statistics: ReadonlyMap<string, StatisticsRowFragment>;
  readonly error: CombinedError | undefined;
  readonly refresh: () => void;
}

/** The endpoints, and their statistics over this many hours, which are read again while the page is open. */
export function useEndpoints(hours: number): Endpoints {
  const [{ data, error }, reload] = useQuery({ query: EndpointsDocument });
  const [counted, count] = useQuery({ query: EndpointStatisticsDocument, variables: { hours } });
  const refresh = useCallback(() => {
    reload({ requestPolicy: 'network-only' });
    count({ requestPolicy: 'network-only' });
  }, [reload, count]);
  useRefreshOnReturn(refresh);
  usePolling(true, refresh, EVERY_MS);
  const rows = counted.data?.webhookEndpointStatistics ?? [];
  return {
    endpoints: data?.webhookEndpoints,
    statistics: new Map(rows.map((row) => [row.endpointId, row])),
    error: error ?? counted.error,
    refresh,
  };
}
