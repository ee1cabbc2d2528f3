// The round numbers beside a chart, and which of its periods have room for their names.

const MOST_STEPS = 4;
/** What steps of a scale begin with, so that its numbers are short. */
const ROUND = [1, 2, 2.5, 5, 10];
/** Less than this of a step is a rounding error of the division. */
const NOTHING = 1e-9;

/** Numbers from 0 up to the first that is no less than the largest value, evenly spaced; at most five. */
export function ticksUpTo(most: number): number[] {
  if (!(most > 0)) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most / MOST_STEPS));
  const step = power * (ROUND.find((round) => round * power * MOST_STEPS >= most * (1 - NOTHING)) ?? 10);
  return Array.from({ length: Math.ceil(most / step - NOTHING) + 1 }, (_, nth) => nth * step);
}

/** The places of the names that fit beside each other, evenly spaced and as far from one end as from the other. */
export function namedPlaces(count: number, width: number, nameWidth: number): number[] {
  const fitting = Math.max(1, Math.floor(width / nameWidth));
  const every = Math.max(1, Math.ceil(count / fitting));
  const first = Math.floor(((count - 1) % every) / 2);
  return Array.from({ length: Math.ceil((count - first) / every) }, (_, nth) => first + nth * every);
}
