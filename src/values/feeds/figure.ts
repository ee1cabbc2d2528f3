// Judges what one unit of a code costs from what the feeds say of it: a pure function of their ticks, the last good
// figure, the operator's rules and the clock (contract-invoices, section 2).

import { kindOf, MOST_AHEAD_MS } from './feeds.ts';
import type { Tick } from './tick.ts';

/** A tick, with the name of its feed. */
export interface FeedTick extends Tick {
  readonly feed: string;
}

/** The operator's rules. */
export interface FigureRules {
  /** Fewer sources make no figure. */
  readonly minSources: number;
  /** How long a tick is fresh. */
  readonly maxAgeSeconds: number;
  /** How far a tick may be from the median, in percent. */
  readonly maxDeviation: number;
  /** How far a figure may be from the last good one, in percent. */
  readonly maxJump: number;
  /** How long the last good figure counts. */
  readonly lastGoodMinutes: number;
}

/** A figure that was good: 10⁻¹⁸ US dollars, and when it was judged so. */
export interface GoodFigure {
  readonly usd: bigint;
  readonly at: Date;
}

/**
 * GOOD: what it costs, and the ticks that say so. JUMP: too far from the last good figure to be believed, which does
 * not serve any longer either. NONE: too few sources; the last good figure goes on serving.
 */
export type Judgement =
  | { readonly kind: 'GOOD'; readonly usd: bigint; readonly ticks: readonly FeedTick[] }
  | { readonly kind: 'JUMP' }
  | { readonly kind: 'NONE' };

/** Judges the ticks of one code. */
export function judgeFigure(
  ticks: readonly FeedTick[],
  lastGood: GoodFigure | null,
  rules: FigureRules,
  now: Date,
): Judgement {
  const counted = withReserve(
    ticks.filter((tick) => isFresh(tick, rules, now)),
    rules,
  );
  if (counted.length === 0) return { kind: 'NONE' };
  const centre = medianOf(counted);
  const near = counted.filter(({ usd }) => isWithin(usd, centre, rules.maxDeviation));
  if (near.length < Math.max(1, rules.minSources)) return { kind: 'NONE' };
  const usd = medianOf(near);
  if (lastGood && !isOver(lastGood, rules, now) && !isWithin(usd, lastGood.usd, rules.maxJump)) return { kind: 'JUMP' };
  return { kind: 'GOOD', usd, ticks: near };
}

/** Whether a good figure is too old to serve, or to judge others by. */
export const isOver = ({ at }: GoodFigure, { lastGoodMinutes }: Pick<FigureRules, 'lastGoodMinutes'>, now: Date) =>
  now.getTime() - at.getTime() > lastGoodMinutes * 60_000;

function isFresh({ feed, at }: FeedTick, { maxAgeSeconds }: FigureRules, now: Date): boolean {
  const ageMs = now.getTime() - at.getTime();
  return ageMs <= 1_000 * (kindOf(feed)?.maxAgeSeconds ?? maxAgeSeconds) && ageMs >= -MOST_AHEAD_MS;
}

/** Without the ticks of a reserve, where the others are enough. */
function withReserve(ticks: readonly FeedTick[], { minSources }: FigureRules): readonly FeedTick[] {
  const first = ticks.filter(({ feed }) => !kindOf(feed)?.isReserve);
  return first.length < minSources ? ticks : first;
}

/** The middle one; of an even number, the mean of the two in the middle, half up. */
function medianOf(ticks: readonly FeedTick[]): bigint {
  const sorted = ticks.map(({ usd }) => usd).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [low = 0n, high = 0n] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high + 1n) / 2n;
}

/** Whether a value is at most so many percent away from another. */
function isWithin(value: bigint, from: bigint, percent: number): boolean {
  const distance = value > from ? value - from : from - value;
  return distance * 100n <= from * BigInt(percent);
}
