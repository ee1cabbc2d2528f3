// Where a payout stands: its status, who decided it and why, or until when it waits; and the way for the one who asked
// to take it back.

import type { ReactNode } from 'react';
import { approvableUntil } from '../../approval-time.ts';
import type { PayoutStatus } from '../../generated/operations.ts';
import { useSession } from '../../session.ts';
import { Status } from '../badge.tsx';
import { ExplorerLink } from '../explorer-link.tsx';
import { Time } from '../time.tsx';
import { TakeBack } from './take-back.tsx';
import { Who } from './who.tsx';

/** What withdrawals and refunds have in common. */
export interface ShownPayout {
  readonly id: string;
  readonly status: PayoutStatus;
  readonly batchId?: string | null | undefined;
  readonly createdAt: string;
  readonly requestedBy?: string | null | undefined;
  readonly decidedBy?: string | null | undefined;
  readonly failureReason?: string | null | undefined;
  readonly txHash?: string | null | undefined;
  readonly explorerUrl?: string | null | undefined;
}

interface PayoutStateProps {
  readonly payout: ShownPayout;
  /** What it is: "withdrawal" or "refund". */
  readonly thing: string;
  readonly onChanged: () => void;
}

export function PayoutState({ payout, thing, onChanged }: PayoutStateProps): ReactNode {
  const { person } = useSession();
  const isWaiting = payout.status === 'AWAITING_APPROVAL';
  return (
    <span>
      <Status status={payout.status} />
      <Decision payout={payout} />
      {isWaiting && payout.requestedBy === person.id && (
        <TakeBack id={payout.id} thing={thing} isOfBatch={payout.batchId != null} onChanged={onChanged} />
      )}
    </span>
  );
}

function Decision({ payout }: { readonly payout: ShownPayout }): ReactNode {
  const { status, createdAt, decidedBy, failureReason } = payout;
  const isByPerson = decidedBy != null && decidedBy !== 'system';
  if (status === 'AWAITING_APPROVAL')
    return (
      <span className="quietly below">
        until <Time value={approvableUntil(createdAt).toISOString()} isExact />
      </span>
    );
  if (!isByPerson && failureReason == null) return null;
  return (
    <span className="quietly below">
      {isByPerson && (
        <>
          {status === 'REJECTED' ? 'by ' : 'approved by '}
          <Who id={decidedBy} isWithin />
        </>
      )}
      {isByPerson && failureReason != null && ': '}
      {failureReason}
    </span>
  );
}

/** When a payout was requested, and by whom. */
export function PayoutOrigin({ payout }: { readonly payout: ShownPayout }): ReactNode {
  return (
    <span>
      <Time value={payout.createdAt} />
      <span className="quietly below">
        by <Who id={payout.requestedBy} isWithin />
      </span>
    </span>
  );
}

/** A payout's transaction, once there is one. */
export function PayoutTransaction({ payout }: { readonly payout: ShownPayout }): ReactNode {
  const { status, txHash, explorerUrl } = payout;
  if (txHash != null) return <ExplorerLink txHash={txHash} explorerUrl={explorerUrl} />;
  return <span className="quietly">{status === 'REJECTED' || status === 'FAILED' ? 'none' : 'not yet'}</span>;
}
