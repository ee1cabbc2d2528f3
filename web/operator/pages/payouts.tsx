// Payouts that are stuck, and the freezes in force.

import { useCallback, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { useRefreshOnReturn } from '../../console/components/hooks/use-pages.ts';
import { usePolling } from '../../console/components/hooks/use-polling.ts';
import { PayoutFreezesDocument, StuckPayoutsDocument } from '../generated/operations.ts';
import { Freezes } from '../payouts/freezes.tsx';
import { StuckPayouts } from '../payouts/stuck.tsx';

const LOOK_EVERY_MS = 15_000;

export default function Payouts(): ReactNode {
  const [stuck, reloadStuck] = useQuery({ query: StuckPayoutsDocument });
  const [freezes, reloadFreezes] = useQuery({ query: PayoutFreezesDocument });
  const refresh = useCallback(() => {
    reloadStuck({ requestPolicy: 'network-only' });
    reloadFreezes({ requestPolicy: 'network-only' });
  }, [reloadStuck, reloadFreezes]);
  useRefreshOnReturn(refresh);
  usePolling(true, refresh, LOOK_EVERY_MS);
  return (
    <>
      <StuckPayouts payouts={stuck.data?.stuckPayouts} error={stuck.error} onChanged={refresh} />
      <Freezes freezes={freezes.data?.payoutFreezes} error={freezes.error} onChanged={refresh} />
    </>
  );
}
