// Counts the results of a crowd's calls, by kind.

/** `cut`: a slow client whose connection was ended by the rules; `odd`: an ending that is not allowed. */
export type Ending = 'done' | 'limited' | 'overloaded' | 'cut' | 'odd';

/** The calls of one kind. */
export interface Tally {
  readonly kind: string;
  readonly endings: Record<Ending, number>;
  /** The longest wait for an answer of any kind. */
  slowestMs: number;
  /** The times of the calls that were done. */
  readonly doneMs: number[];
  /** Calls done in the second half of the time: by then all clients have connected, and none has left yet. */
  doneInSecondHalf: number;
}

/** An order that was answered with 201. */
export interface Created {
  /** The reference it was requested under, which is also its idempotency key. */
  readonly reference: string;
  readonly orderId: string;
}

/** The results of a crowd. */
export interface CrowdResult {
  readonly seconds: number;
  readonly tallies: readonly Tally[];
  /** The references of all orders requested, whether or not they were answered. */
  readonly asked: readonly string[];
  readonly created: readonly Created[];
  /** The first odd endings, in words. */
  readonly oddities: readonly string[];
}

const MOST_ODDITIES = 20;

export type Tallies = ReturnType<typeof createTallies>;

export function createTallies(seconds: number) {
  const startedMs = performance.now();
  const isSecondHalf = () => Math.abs(performance.now() - startedMs - 750 * seconds) <= 250 * seconds;
  const tallies = new Map<string, Tally>();
  const oddities: string[] = [];
  const asked: string[] = [];
  const created: Created[] = [];
  const of = (kind: string): Tally => {
    const known = tallies.get(kind);
    if (known) return known;
    const endings = { done: 0, limited: 0, overloaded: 0, cut: 0, odd: 0 };
    const tally = { kind, endings, slowestMs: 0, doneMs: [], doneInSecondHalf: 0 };
    tallies.set(kind, tally);
    return tally;
  };
  return {
    asked,
    created,
    note(kind: string, ending: Ending, ms: number, words = ''): void {
      const tally = of(kind);
      tally.endings[ending] += 1;
      tally.slowestMs = Math.max(tally.slowestMs, ms);
      if (ending === 'done') tally.doneMs.push(ms);
      if (ending === 'done' && isSecondHalf()) tally.doneInSecondHalf += 1;
      if (ending === 'odd' && oddities.length < MOST_ODDITIES) oddities.push(`${kind}: ${words}`);
    },
    result: (): CrowdResult => ({ seconds, tallies: [...tallies.values()], asked, created, oddities }),
  };
}

export const sumOf = (tallies: readonly Tally[], ending: Ending): number =>
  tallies.reduce((sum, { endings }) => sum + endings[ending], 0);

/** The value below which the given share of the values lies; NaN if there are no values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
