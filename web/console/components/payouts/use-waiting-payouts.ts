// The payouts that wait for an approval, updated live, for those who may approve.

import { useCallback, useMemo } from 'react';
import { useQuery, type CombinedError } from 'urql';
import {
  PayoutChangesDocument,
  PayoutsAwaitingApprovalDocument,
  type PayoutsAwaitingApprovalQuery,
} from '../../generated/operations.ts';
import { grouped } from '../../grouped.ts';
import { useSession } from '../../session.ts';
import { useChanges } from '../hooks/use-changes.ts';
import { useRefreshOnReturn } from '../hooks/use-pages.ts';
import { usePolling } from '../hooks/use-polling.ts';
import { useThrottled } from '../hooks/use-throttled.ts';

export type WaitingPayout = PayoutsAwaitingApprovalQuery['payoutsAwaitingApproval'][number];

/** What is decided at once: a payout, or all withdrawals of a batch. */
export interface WaitingDecision {
  /** The id of the payout or batch. */
  readonly id: string;
  readonly first: WaitingPayout;
  /** With the first. */
  readonly payouts: readonly WaitingPayout[];
}

/** What is decided, in words. */
export const thingOf = ({ first, payouts }: WaitingDecision): string => {
  if (payouts.length > 1) return `batch of ${payouts.length} withdrawals`;
  return first.__typename === 'Withdrawal' ? 'withdrawal' : 'refund';
};

/** Payouts by what is decided at once, in their order. */
function decisionsOf(payouts: readonly WaitingPayout[]): WaitingDecision[] {
  const wholeOf = (payout: WaitingPayout) => (payout.__typename === 'Withdrawal' ? payout.batchId : null) ?? payout.id;
  return [...grouped(payouts, wholeOf)].flatMap(([id, group]) =>
    group[0] ? [{ id, first: group[0], payouts: group }] : [],
  );
}

/** For those who may approve and may not follow payouts. */
const LOOK_EVERY_MS = 30_000;

interface WaitingPayouts {
  /** Oldest first; undefined until they are loaded. */
  readonly decisions: readonly WaitingDecision[] | undefined;
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
  useChanges(PayoutChangesDocument, {}, onChange, !may('WITHDRAW'));
  const payouts = data?.payoutsAwaitingApproval;
  const decisions = useMemo(() => payouts && decisionsOf(payouts), [payouts]);
  return { decisions, error, refresh };
}
