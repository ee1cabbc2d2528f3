// Spreads an action on many connections over a time, so that their clients do not all come back at the same moment.

/** Acts on each item once, evenly over the first nine tenths of this time; what acts needs the rest to be done. */
export function spread<Item>(items: readonly Item[], ms: number, act: (item: Item) => void): void {
  const stepMs = (0.9 * ms) / Math.max(1, items.length);
  for (const [nth, item] of items.entries()) setTimeout(act, nth * stepMs, item).unref();
}
