// The state of an address in the book of payout addresses, a function of its row and the clock
// (contract-people-payouts, section D).

export const PAYOUT_ADDRESS_STATUSES = ['WAITING', 'ACTIVE', 'REMOVED'] as const;
export type PayoutAddressStatus = (typeof PAYOUT_ADDRESS_STATUSES)[number];

/** The state at a time: an address may be paid to from `usableAt` on, until it is removed. */
export function addressStatusAt(
  { usableAt, removedAt }: { readonly usableAt: Date; readonly removedAt: Date | null },
  now: Date,
): PayoutAddressStatus {
  if (removedAt !== null) return 'REMOVED';
  return usableAt <= now ? 'ACTIVE' : 'WAITING';
}
