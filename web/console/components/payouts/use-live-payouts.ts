// Keeps a list of payouts current, and tells when one has ended.

import { useEffect, useRef } from 'react';
import { useChanges } from '../hooks/use-changes.ts';
import {
  PayoutChangesDocument,
  type PayoutChangesSubscription,
  type PayoutStatus,
} from '../../generated/operations.ts';
import { usePolling } from '../hooks/use-polling.ts';
import { useThrottled } from '../hooks/use-throttled.ts';

/** While some are under way the list is read again: a change before the subscription began is told to nobody. */
const LOOK_EVERY_MS = 15_000;

const ENDED: readonly PayoutStatus[] = ['COMPLETED', 'FAILED', 'REJECTED'];

interface LivePayouts {
  readonly nodes: readonly { readonly status: PayoutStatus }[] | undefined;
  readonly refresh: () => void;
  /** Whether a change may concern the list. */
  readonly concerns: (payout: PayoutChangesSubscription['payoutUpdated']) => boolean;
  /** Called when one has ended: balances and payments follow. */
  readonly onEnded: () => void;
}

export function useLivePayouts({ nodes, refresh, concerns, onEnded }: LivePayouts): void {
  const onChange = useThrottled(refresh);
  useChanges(PayoutChangesDocument, {}, ({ payoutUpdated: payout }) => {
    if (concerns(payout)) onChange();
  });
  const open = nodes?.filter(({ status }) => !ENDED.includes(status)).length ?? 0;
  usePolling(open > 0, refresh, LOOK_EVERY_MS);
  const before = useRef(open);
  useEffect(() => {
    if (open < before.current) onEnded();
    before.current = open;
  }, [open, onEnded]);
}
