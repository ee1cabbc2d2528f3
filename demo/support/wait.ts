// Polls until something has happened, up to a deadline.

import { setTimeout as rest } from 'node:timers/promises';
import { Difference, inspectBriefly } from './expect.ts';

/** The limit for something that never happens: nothing here takes as long, even on a busy machine. */
export const DEADLINE_MS = 60_000;
const LOOK_EVERY_MS = 40;

interface Waiting {
  readonly deadlineMs?: number;
  /** What is there instead, for the error when the deadline passes. */
  readonly instead?: () => unknown;
}

/** Resolves to the result of `look` once it is neither null nor undefined. Throws `Difference` at the deadline. */
export async function waitUntil<Found>(
  what: string,
  look: () => Found | null | undefined | Promise<Found | null | undefined>,
  { deadlineMs = DEADLINE_MS, instead = () => 'nothing' }: Waiting = {},
): Promise<Found> {
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined) return found;
    if (performance.now() > deadline)
      throw new Difference(`Waited for ${deadlineMs / 1_000} s`, what, inspectBriefly(instead()));
    await rest(LOOK_EVERY_MS);
  }
}
