// The payouts that wait for an approval, updated live, for those who may approve.

import { useCallback } from 'react';
import { useQuery, useSubscription, type CombinedError } from 'urql';
import {
  PayoutChangesDocument,
  PayoutsAwaitingApprovalDocument,
  type PayoutsAwaitingApprovalQuery,
} from '../../generated/operations.ts';
import { useSession } from '../../session.ts';
import { useRefreshOnReturn } from '../hooks/use-pages.ts';
import { usePolling } from '../hooks/use-polling.ts';
import { useThrottled } from '../hooks/use-throttled.ts';

export type WaitingPayout = PayoutsAwaitingApprovalQuery['payoutsAwaitingApproval'][number];

/** What a payout is, in a word. */
export const thingOf = ({ __typename }: Pick<WaitingPayout, '__typename'>): string =>
  __typename === 'Withdrawal' ? 'withdrawal' : 'refund';

/** For those who may approve and may not follow payouts. */
const LOOK_EVERY_MS = 30_000;

interface WaitingPayouts {
  /** Oldest first; undefined until they are loaded. */
  readonly payouts: readonly WaitingPayout[] | undefined;
  readonly error: CombinedError | undefined;
  readonly refresh: () => void;
}

export function useWaitingPayouts(): WaitingPayouts {
  const { may } = useSession();
  const [{ data, error }, reload] = useQuery({ query: PayoutsAwaitingApprovalDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  usePolling(true, refresh, LOOK_EVERY_MS);
  const onChange = useThrottled(refresh);
  useSubscription({ query: PayoutChangesDocument, pause: !may('WITHDRAW') }, (_, change) => {
    onChange();
    return change;
  });
  return { payouts: data?.payoutsAwaitingApproval, error, refresh };
}
