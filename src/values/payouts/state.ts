// The states of a payout, and the only function that says how one leads to another (contract-people-payouts, section
// D). Pure; docs/payout-states.md is its table, and a test compares the two.

/** Final are COMPLETED, FAILED and REJECTED; all others are under way. */
export const PAYOUT_STATUSES = [
  'REQUESTED',
  'BROADCAST',
  'COMPLETED',
  'FAILED',
  'AWAITING_APPROVAL',
  'REJECTED',
] as const;
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

/** What happens to a payout, as the last part of its event's type. All but `updated` are public. */
export const PAYOUT_STEPS = ['requested', 'updated', 'broadcast', 'completed', 'failed', 'rejected'] as const;
export type PayoutStep = (typeof PAYOUT_STEPS)[number];

/** What a payout's row says of its state. */
export interface PayoutFacts {
  readonly status: PayoutStatus;
  /** Whether it was booked as paid: then it never fails, whatever becomes of its transaction. */
  readonly isBooked: boolean;
  readonly txHash: string | null;
  /** Until when it may be approved; null if it never waited for that. */
  readonly awaitsUntil: Date | null;
}

/** What somebody decided. FAIL: the operator, or a refund whose deposit is lost, or a payout that cannot be paid. */
export type PayoutDecision = 'APPROVE' | 'REJECT' | 'FAIL';

/**
 * What its transactions are. OPEN: one was signed and may be mined. MINED: one is confirmed. VOID: there were some, and
 * none of them moved anything or still can.
 */
export type PayoutTransfer =
  { readonly state: 'OPEN' | 'MINED'; readonly txHash: string } | { readonly state: 'NONE' | 'VOID' };

export interface PayoutChange {
  readonly status: PayoutStatus;
  readonly step: PayoutStep;
}

/** The state that a payout goes on to, and how it is told; null if nothing changes. */
export function nextPayoutState(
  facts: PayoutFacts,
  decision: PayoutDecision | null,
  transfer: PayoutTransfer,
  now: Date,
): PayoutChange | null {
  const { status } = facts;
  if (status === 'FAILED' || status === 'REJECTED') return null;
  // An older copy of the book may have a payout that waits, and that was approved and signed since.
  if (transfer.state === 'OPEN' || transfer.state === 'MINED') return followed(facts, transfer);
  if (status === 'AWAITING_APPROVAL') return decided(facts, decision, now);
  if (decision !== 'FAIL' || facts.isBooked || status === 'COMPLETED') return null;
  const mayFail = status === 'REQUESTED' || transfer.state === 'VOID';
  return mayFail ? { status: 'FAILED', step: 'failed' } : null;
}

function followed(
  { status, isBooked, txHash }: PayoutFacts,
  transfer: Extract<PayoutTransfer, { readonly txHash: string }>,
): PayoutChange | null {
  if (transfer.state === 'MINED') {
    if (status === 'COMPLETED') return null;
    return { status: 'COMPLETED', step: isBooked ? 'updated' : 'completed' };
  }
  if (status === 'BROADCAST') return transfer.txHash === txHash ? null : { status, step: 'updated' };
  // COMPLETED: its transaction left the chain, and is sent again.
  return { status: 'BROADCAST', step: status === 'COMPLETED' ? 'updated' : 'broadcast' };
}

function decided({ awaitsUntil }: PayoutFacts, decision: PayoutDecision | null, now: Date): PayoutChange | null {
  if (decision === 'FAIL') return { status: 'FAILED', step: 'failed' };
  if (decision === 'REJECT' || (awaitsUntil !== null && awaitsUntil <= now))
    return { status: 'REJECTED', step: 'rejected' };
  return decision === 'APPROVE' ? { status: 'REQUESTED', step: 'updated' } : null;
}
