// Says what a bad day came to, for the terminal.

import type { Answers } from './answers.ts';
import type { DayResult } from './rehearse.ts';

const seconds = (value: number): string => `${value.toFixed(1)} s`;

/** `201 120, 503 9503 14; the slowest after 3.0 s`. */
export function describeAnswers({ counts, slowestMs, givenUpMs }: Answers): string {
  const all = Object.entries(counts).map(([name, count]) => `${name}: ${count}`);
  const given = givenUpMs > 0 ? `, given up after ${seconds(givenUpMs / 1_000)}` : '';
  return `${all.join(', ') || 'no calls'}; the slowest answer after ${seconds(slowestMs / 1_000)}${given}`;
}

/** The lines of a day. */
export function describeDay(result: DayResult): string[] {
  const { faultSeconds, seen, seenAfter, calmSeconds, rightSeconds, orders, payouts, notes } = result;
  return [
    `callers saw, for ${seconds(faultSeconds)} and until all was right: ${describeAnswers(seen)}`,
    `afterwards: ${describeAnswers(seenAfter)}`,
    `right again ${seconds(rightSeconds)} after it was mended (a story takes ${seconds(calmSeconds)} in calm)`,
    `${orders} orders and ${payouts} payouts were asked for on this day`,
    ...notes,
  ];
}
