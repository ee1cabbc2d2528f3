// Waits for a condition in tests, never for a fixed time.

const LOOK_EVERY_MS = 15;
/** A little less than a test's default time limit, so that the error says what was waited for. */
const DEADLINE_MS = 55_000;

/** How much of one look counts: what takes longer waits for a busy machine. */
const MOST_OF_A_LOOK_MS = 100;

/** Counts the time of looks, without most of what a busy machine adds; true once the deadline is reached. */
function countLooks(deadlineMs: number): () => boolean {
  let counted = 0;
  let before = performance.now();
  return () => {
    const now = performance.now();
    counted += Math.min(now - before, MOST_OF_A_LOOK_MS);
    before = now;
    return counted >= deadlineMs;
  };
}

/**
 * Calls `look` until it returns something other than null, undefined or false. Throws if a look that began at the
 * deadline or later still does not: a slow machine delays the test but does not fail it.
 */
export async function until<Value>(
  look: () => Promise<Value> | Value,
  deadlineMs = DEADLINE_MS,
): Promise<Exclude<NonNullable<Value>, false>> {
  const isOver = countLooks(deadlineMs);
  for (;;) {
    const isLast = isOver();
    const value = await look();
    if (value !== null && value !== undefined && value !== false) return value as Exclude<NonNullable<Value>, false>;
    if (isLast) throw new Error(`Not within ${deadlineMs} ms: ${look.toString().slice(0, 200)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Runs assertions until they hold; at the deadline the last failure is thrown. */
export async function untilPasses(check: () => unknown, deadlineMs = DEADLINE_MS): Promise<void> {
  const isOver = countLooks(deadlineMs);
  for (;;) {
    const isLast = isOver();
    try {
      await check();
      return;
    } catch (error) {
      if (isLast) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
