// Counts attempts by their endpoint and hour, and writes the counts once a second: however many attempts an endpoint
// sees, its statistics are read from one row for each hour. A crash loses the last second's.

import { countAttemptsOfHours, type AttemptsOfHour } from '../../database/queries/webhooks/endpoint-hours.ts';
import type { FinishedAttempt, RecordedAttempt } from '../../database/queries/webhooks/record-attempts.ts';
import type { Deps } from '../../domain/deps.ts';
import { CLASSES, classOf } from '../../domain/webhooks/response-times.ts';

const HOUR_MS = 3_600_000;
const WRITE_EVERY_MS = 1_000;

/** What attempts are counted of. */
export type CountedAttempt = Pick<FinishedAttempt, 'at' | 'responseTimeMs' | 'responseCode' | 'error' | 'status'>;

export interface AttemptCounts {
  /** Counts those of these attempts that were recorded and went to an endpoint. */
  note(batch: readonly FinishedAttempt[], recorded: ReadonlyMap<string, RecordedAttempt>): void;
  /** Writes what was counted, if it is time to; null if not. */
  writeDue(): Promise<void> | null;
  /** Writes what was counted; never rejects. What could not be written is added to the next write. */
  flush(): Promise<void>;
}

type Counting = { -readonly [Name in keyof AttemptsOfHour]: AttemptsOfHour[Name] } & { took: number[] };

/** Adds an attempt to the hours, by endpoint and hour. Pure but for `hours`. */
export function countAttempt(hours: Map<string, AttemptsOfHour>, endpointId: string, attempt: CountedAttempt): void {
  const hour = new Date(Math.floor(attempt.at.getTime() / HOUR_MS) * HOUR_MS);
  const key = `${endpointId} ${String(hour.getTime())}`;
  const counted = (hours.get(key) ?? emptyHour(endpointId, hour)) as Counting;
  hours.set(key, counted);
  const nth = classOf(attempt.responseTimeMs);
  counted.took[nth] = (counted.took[nth] ?? 0) + 1;
  if (attempt.status === 'SUCCESS') {
    counted.succeeded += 1;
    return;
  }
  counted.failed += 1;
  if (counted.failedAt !== null && counted.failedAt > attempt.at) return;
  Object.assign(counted, { failedAt: attempt.at, responseCode: attempt.responseCode, error: attempt.error });
}

function emptyHour(endpointId: string, hour: Date): AttemptsOfHour {
  const took = new Array<number>(CLASSES).fill(0);
  return { endpointId, hour, succeeded: 0, failed: 0, took, failedAt: null, responseCode: null, error: null };
}

/** Creates the counts of a sender. */
export function createAttemptCounts(deps: Pick<Deps, 'db' | 'log'>): AttemptCounts {
  let hours = new Map<string, AttemptsOfHour>();
  let writtenAt = -Infinity;
  let writing: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const written = hours;
    if (written.size === 0) return;
    hours = new Map();
    try {
      await countAttemptsOfHours(deps.db.em, [...written.values()]);
    } catch (error) {
      deps.log.error({ err: error }, "endpoints' attempts were not counted; they are added to the next");
      for (const [key, later] of hours) {
        const earlier = written.get(key);
        written.set(key, earlier ? sumOf(earlier, later) : later);
      }
      hours = written;
    }
  }

  const flush = () => {
    writtenAt = performance.now();
    return (writing = writing.then(write));
  };

  return {
    note(batch, recorded) {
      for (const attempt of batch) {
        const endpointId = recorded.get(attempt.deliveryId)?.endpointId ?? null;
        if (endpointId !== null) countAttempt(hours, endpointId, attempt);
      }
    },
    writeDue: () => (hours.size > 0 && performance.now() - writtenAt >= WRITE_EVERY_MS ? flush() : null),
    flush,
  };
}

/** Two counts of the same hour; `later` has the later failure, if it has one. */
function sumOf(earlier: AttemptsOfHour, later: AttemptsOfHour): AttemptsOfHour {
  const last = later.failedAt === null ? earlier : later;
  return {
    ...last,
    succeeded: earlier.succeeded + later.succeeded,
    failed: earlier.failed + later.failed,
    took: earlier.took.map((count, nth) => count + (later.took[nth] ?? 0)),
  };
}
