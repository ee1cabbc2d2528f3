// How many payouts wait for an approval, beside the navigation's link to them.

import type { ReactNode } from 'react';
import { useWaitingPayouts } from './use-waiting-payouts.ts';

export function WaitingCount(): ReactNode {
  const { decisions = [] } = useWaitingPayouts();
  if (decisions.length === 0) return null;
  return (
    <span className="count">
      {decisions.length}
      <span className="unseen"> waiting</span>
    </span>
  );
}
