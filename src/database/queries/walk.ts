// Pages of lists that are narrowed by what no index has: the list is walked from its cursor for a bounded number of
// rows, so that a page costs the same however rare its items are. It may then have fewer items than were asked for, and
// names the row at which the next page goes on (decision 0096).

import { firstOf } from './page-limit.ts';

/** A row that was walked: one that fits, or the last of the walk, or both. */
export interface WalkedRow {
  readonly id: string;
  readonly fits: boolean;
  readonly isEnd: boolean;
}

/** A page of a walk. */
export interface WalkedPage<Row> {
  readonly rows: readonly Row[];
  /** The id below which the next page starts; null at the end of the list. */
  readonly next: string | null;
}

/**
 * SQL: walks `most` rows of `rows` in this order. `condition` is on one of them, `w`. Those that meet it come out in
 * their order with `fits`, and so does the last step with `isEnd`. `limit` and `steps`, which is `most` again, are
 * parameters. The planner is not told the second, not even when it plans for given values: so it expects few rows, and
 * reads them in their order, whatever its statistics say (page-limit.ts).
 */
export function walkOf(
  rows: string,
  order: string,
  condition: string,
  { limit, steps, most }: { readonly limit: string; readonly steps: string; readonly most: number },
): string {
  return `select *, nth = ${steps} as "isEnd" from (
  select w.*, coalesce(${condition}, false) as fits, row_number() over (order by ${order}) as nth
  from (${firstOf(rows, order, `(select ${steps}::int)`, most)}) w) walked
where fits or nth = ${steps} order by ${order} limit ${limit}`;
}

/** The page of at most `limit` items of a walk that was read with `limit + 1`. */
export function pageOfWalk<Row extends WalkedRow>(walked: readonly Row[], limit: number): WalkedPage<Row> {
  const fitting = walked.filter(({ fits }) => fits);
  const rows = fitting.slice(0, limit);
  if (fitting.length > limit) return { rows, next: rows.at(-1)?.id ?? null };
  const last = walked.at(-1);
  return { rows, next: last?.isEnd ? last.id : null };
}
