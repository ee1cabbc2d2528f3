// Where the event log ends, found without reading it.

import type { Turnpike } from '#sdk';

/**
 * The sequence of the newest event, 0 if there is none: asks whether there is one after numbers that double, and then
 * closes in. Kept before anything is awaited, so that what happens until the first event is forwarded is not lost.
 */
export async function newestSequence(client: Turnpike, signal: AbortSignal): Promise<number> {
  const firstAfter = async (after: number): Promise<number | null> => {
    const { items } = await client.call('events', { query: { after, limit: 1 } }, { signal });
    return items[0]?.sequence ?? null;
  };
  let low = await firstAfter(0);
  if (low === null) return 0;
  let high = low;
  for (let step = 1, found: number | null = low; found !== null; step *= 2) {
    low = found;
    high = low + step;
    found = await firstAfter(high);
  }
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const found = await firstAfter(middle);
    if (found === null) high = middle;
    else low = found;
  }
  return low;
}
