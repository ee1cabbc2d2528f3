// Polls for something that another process does, up to a deadline.

import { setTimeout as rest } from 'node:timers/promises';
import { Violation } from '../invariants/violation.ts';

const LOOK_EVERY_MS = 50;

/**
 * Resolves to the first result of `look` that is not null. Throws `Violation` at the deadline, with what was missing.
 */
export async function waitUntil<Found>(
  what: string,
  deadlineMs: number,
  look: () => Promise<Found | null> | Found | null,
  missing: () => Promise<string> | string = () => '',
): Promise<Found> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const isLast = performance.now() >= end;
    const found = await look();
    if (found !== null) return found;
    if (isLast) throw new Violation(`${what}: not within ${deadlineMs / 1_000} s. ${await missing()}`.trim());
    await rest(LOOK_EVERY_MS);
  }
}
