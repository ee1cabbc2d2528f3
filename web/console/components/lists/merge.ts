// A list that stands still, and what has become of it meanwhile.

/**
 * The rows that were shown, as they are now unless they are `frozen`, and those after them, which were loaded by "Load
 * more". Those that come before the last of them are new.
 */
export function merge<Row>(
  known: readonly Row[],
  now: readonly Row[],
  keyOf: (row: Row) => string,
  isFrozen: boolean,
): { readonly rows: readonly Row[]; readonly news: number } {
  const current = new Map(now.map((row) => [keyOf(row), row]));
  const shown = new Set(known.map(keyOf));
  const last = now.findLastIndex((row) => shown.has(keyOf(row)));
  return {
    rows: [
      ...(isFrozen ? known : known.map((row) => current.get(keyOf(row)) ?? row)),
      ...(last < 0 ? [] : now.slice(last + 1)),
    ],
    news: (last < 0 ? now : now.slice(0, last)).filter((row) => !shown.has(keyOf(row))).length,
  };
}
