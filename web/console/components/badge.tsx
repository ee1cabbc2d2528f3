// A status as a word and a colour; the colour never carries the meaning alone.

import type { ReactNode } from 'react';

export type Tone = 'good' | 'bad' | 'busy' | 'calm';

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }): ReactNode {
  return <span className={`badge ${tone}`}>{children}</span>;
}

const STATES: Readonly<Record<string, readonly [tone: Tone, words: string]>> = {
  // Payments
  PENDING: ['calm', 'Waiting'],
  PARTIALLY_PAID: ['busy', 'Partly paid'],
  CONFIRMING: ['busy', 'Confirming'],
  SUCCEEDED: ['good', 'Paid'],
  FAILED: ['bad', 'Failed'],
  EXPIRED: ['calm', 'Expired'],
  CANCELED: ['calm', 'Canceled'],
  PARTIALLY_REFUNDED: ['calm', 'Partly refunded'],
  REFUNDED: ['calm', 'Refunded'],
  // Invoices
  OPEN: ['calm', 'Open'],
  PROCESSING: ['busy', 'Confirming'],
  SETTLED: ['good', 'Paid'],
  // Payouts
  REQUESTED: ['busy', 'Requested'],
  BROADCAST: ['busy', 'Sent'],
  COMPLETED: ['good', 'Completed'],
  AWAITING_APPROVAL: ['busy', 'Awaiting approval'],
  REJECTED: ['bad', 'Rejected'],
  BATCH_PROCESSING: ['busy', 'Processing'],
  FINISHED: ['good', 'Finished'],
  // Payout addresses
  WAITING: ['busy', 'Pending'],
  ACTIVE: ['good', 'Active'],
  REMOVED: ['calm', 'Removed'],
  // Transactions
  CONFIRMED: ['good', 'Confirmed'],
  ORPHANED: ['bad', 'Removed by the network'],
  // Deliveries
  SUCCESS: ['good', 'Delivered'],
  RETRYING: ['busy', 'Retrying'],
  DISABLED: ['bad', 'Disabled'],
};

const EXCEPTIONS: Readonly<Record<string, string>> = {
  UNDERPAID: 'too little',
  OVERPAID: 'too much',
  PAID_LATE: 'late',
  UNCONFIRMED: 'never confirmed',
  REORGED: 'removed by the network',
};

/** The label of a status. */
export const wordsOf = (status: string): string => STATES[status]?.[1] ?? status;

interface StatusProps {
  readonly status: string;
  /** A payment's or invoice's `exception`, such as `UNDERPAID`. */
  readonly exception?: string | null;
}

/** The status badge of a payment, invoice, payout, transaction or delivery. */
export function Status({ status, exception }: StatusProps): ReactNode {
  const [tone, words] = STATES[status] ?? ['calm', status];
  return (
    <Badge tone={exception && tone === 'good' ? 'busy' : tone}>
      {words}
      {exception && `, ${EXCEPTIONS[exception] ?? exception}`}
    </Badge>
  );
}
