// How much of the gateway's work one call is, for the rate limits.

/** What an operation may cost for each call that it counts as. */
export const COST_OF_A_CALL = 2_000;
/** How large its answer may be for each call. */
export const BYTES_OF_A_CALL = 1_000_000;

/** As how many calls so much counts; one at least. */
export function callsOf({ cost = 0, bytes = 0 }: { readonly cost?: number; readonly bytes?: number }): number {
  return Math.max(1, Math.ceil(cost / COST_OF_A_CALL), Math.ceil(bytes / BYTES_OF_A_CALL));
}
