// Waiting in tests: for a condition and never for a time.

const LOOK_EVERY_MS = 15;
/** A little less than what a test has by default, which then says what it waited for. */
const DEADLINE_MS = 55_000;

/**
 * Looks again and again until `look` answers something other than null, undefined or false. Throws when a look that
 * was begun at the deadline or later still does not: a slow machine makes it late and never wrong.
 */
export async function until<Value>(
  look: () => Promise<Value> | Value,
  deadlineMs = DEADLINE_MS,
): Promise<Exclude<NonNullable<Value>, false>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const isLast = performance.now() >= end;
    const value = await look();
    if (value !== null && value !== undefined && value !== false) return value as Exclude<NonNullable<Value>, false>;
    if (isLast) throw new Error(`Not within ${deadlineMs} ms: ${look.toString().slice(0, 200)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Runs assertions again and again until they hold; at the deadline the last failure is thrown. */
export async function untilPasses(check: () => unknown, deadlineMs = DEADLINE_MS): Promise<void> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const isLast = performance.now() >= end;
    try {
      await check();
      return;
    } catch (error) {
      if (isLast) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
