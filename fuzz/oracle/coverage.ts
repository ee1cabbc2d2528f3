// Counts how often each operation was called and how it ended, and which fields of the schema were ever answered.

/** The outcomes of one operation. */
interface Count {
  requests: number;
  successes: number;
  /** The number of failures by error code, or by status if there is no code. */
  readonly failures: Map<string, number>;
}

export interface Tally {
  /** Counts one request as a whole. */
  request(isSuccess: boolean): void;
  /** Counts one operation of a request; `failure` is null if it succeeded. */
  operation(name: string, failure: string | null): void;
  /** Fields that were answered, as `Type.field`. */
  readonly fields: Set<string>;
  readonly total: { readonly requests: number; readonly successes: number };
  successesOf(name: string): number;
  table(): string;
}

export function createTally(): Tally {
  const counts = new Map<string, Count>();
  const total = { requests: 0, successes: 0 };
  return {
    total,
    fields: new Set(),
    request(isSuccess) {
      total.requests += 1;
      if (isSuccess) total.successes += 1;
    },
    operation(name, failure) {
      const count = counts.get(name) ?? { requests: 0, successes: 0, failures: new Map<string, number>() };
      counts.set(name, count);
      count.requests += 1;
      if (failure === null) count.successes += 1;
      else count.failures.set(failure, (count.failures.get(failure) ?? 0) + 1);
    },
    successesOf: (name) => counts.get(name)?.successes ?? 0,
    table: () =>
      [...counts]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(rowOf)
        .join('\n'),
  };
}

function rowOf([name, { requests, successes, failures }]: [string, Count]): string {
  const codes = [...failures].sort(([, one], [, other]) => other - one).map(([code, count]) => `${code} × ${count}`);
  return `${name.padEnd(38)} ${String(requests).padStart(7)} ${String(successes).padStart(7)}   ${codes.join(', ')}`;
}
