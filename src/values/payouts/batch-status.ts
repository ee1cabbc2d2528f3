// The state of a batch of payouts, a function of those of its rows (contract-people-payouts, section D).

export const BATCH_STATUSES = ['AWAITING_APPROVAL', 'REJECTED', 'PROCESSING', 'FINISHED'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** How many rows of a batch wait for an approval, were rejected, and are on their way. */
export interface BatchCounts {
  readonly awaiting: number;
  readonly rejected: number;
  readonly open: number;
}

/** The state of a batch. It is decided whole, so that one row that waits, or was rejected, stands for all. */
export function batchStatusOf({ awaiting, rejected, open }: BatchCounts): BatchStatus {
  if (awaiting > 0) return 'AWAITING_APPROVAL';
  if (rejected > 0) return 'REJECTED';
  return open > 0 ? 'PROCESSING' : 'FINISHED';
}
