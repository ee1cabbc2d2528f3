// Counts what callers saw: answers by status and code, calls without an answer, and the slowest.

import type { Seen } from '../load/client.ts';

export interface Answers {
  /** By status and code, as `201`, `503 9503` or `no answer`; the most frequent first. */
  readonly counts: Readonly<Record<string, number>>;
  /** The longest wait for an answer; calls without one do not count. In milliseconds. */
  readonly slowestMs: number;
  /** The longest wait for an answer that did not come, in milliseconds; 0 if all came. */
  readonly givenUpMs: number;
}

export interface Counter {
  note(seen: Seen): void;
  /** What was counted since the last call. */
  take(): Answers;
}

export function createCounter(): Counter {
  let seen: Seen[] = [];
  return {
    note: (one) => void seen.push(one),
    take() {
      const taken = seen;
      seen = [];
      return summarize(taken);
    },
  };
}

function summarize(seen: readonly Seen[]): Answers {
  const groups = [...Map.groupBy(seen, ({ status, code }) => nameOf(status, code))];
  const sorted = groups.sort(([, a], [, b]) => b.length - a.length);
  const slowest = (some: readonly Seen[]) => Math.round(Math.max(0, ...some.map(({ ms }) => ms)));
  return {
    counts: Object.fromEntries(sorted.map(([name, all]) => [name, all.length])),
    slowestMs: slowest(seen.filter(({ status }) => status !== null)),
    givenUpMs: slowest(seen.filter(({ status }) => status === null)),
  };
}

export const NO_ANSWER = 'no answer';

function nameOf(status: number | null, code: string | null): string {
  if (status === null) return NO_ANSWER;
  return code === null ? String(status) : `${status} ${code}`;
}
