// How long attempts took, counted by classes, so that percentiles are read without the attempts. A class ends a fifth
// above the one before it, so what is told is within a tenth of what was measured.

/** Classes of a count: the last one takes all above five seconds, which is when an attempt is given up. */
export const CLASSES = 48;
const RATIO = 1.2;

/** The class of a duration in milliseconds, from 0. */
export function classOf(ms: number): number {
  return ms <= 1 ? 0 : Math.min(CLASSES - 1, Math.ceil(Math.log(ms) / Math.log(RATIO)));
}

/**
 * The duration in whole milliseconds that this share of what was counted did not exceed, as the middle of its class;
 * null if nothing was counted.
 */
export function percentileOf(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.ceil(total * share);
  for (const [index, count] of counts.entries()) {
    left -= count;
    if (left <= 0) return Math.round(RATIO ** (index - 0.5));
  }
  return Math.round(RATIO ** (CLASSES - 1));
}
