// The weight of one operation in the rate limits: the number of calls that it counts as, by its cost and answer size.

/** The query cost that counts as one call. */
export const COST_OF_A_CALL = 2_000;
/** The answer size that counts as one call. */
export const BYTES_OF_A_CALL = 1_000_000;

/** How many calls an operation counts as; at least one. */
export function callsOf({ cost = 0, bytes = 0 }: { readonly cost?: number; readonly bytes?: number }): number {
  return Math.max(1, Math.ceil(cost / COST_OF_A_CALL), Math.ceil(bytes / BYTES_OF_A_CALL));
}
