// What is kept for a time and no longer: idempotency keys, the API log, what live updates read and, where it is
// configured, old events.

import { pruneEvents, pruneRows } from '../database/queries/prune.ts';
import { inTransaction, type Deps } from './deps.ts';

export interface RetentionOptions {
  /** Days that API-log rows are kept. */
  readonly apiLogDays: number;
  /** Days that events and the records of their webhooks are kept; null: for good. */
  readonly eventDays: number | null;
}

/** Answers of idempotency keys are promised for 24 hours; twice that leaves nobody at the edge of it. */
const IDEMPOTENCY_HOURS = 48;
/** Live updates read what happened to deliveries a moment after it was committed. */
const DELIVERY_CHANGES_HOURS = 1;
/** Sessions that are over: nothing refers to them, and the audit log says who signed in. */
const SESSION_HOURS = 24;
const HOUR_MS = 3_600_000;

/** Makes the worker: a look every hour, batch after batch until nothing is too old. Several processes may run it. */
export function createRetention(deps: Pick<Deps, 'db' | 'clock'>, { apiLogDays, eventDays }: RetentionOptions) {
  let lookedAt = -Infinity;
  const before = (hours: number) => new Date(deps.clock.now().getTime() - hours * HOUR_MS);

  return {
    name: 'retention',
    async processNext(): Promise<boolean> {
      if (performance.now() - lookedAt < HOUR_MS) return false;
      const { em } = deps.db;
      const more = [
        await pruneRows(em, 'idempotency', before(IDEMPOTENCY_HOURS)),
        await pruneRows(em, 'deliveryChanges', before(DELIVERY_CHANGES_HOURS)),
        await pruneRows(em, 'sessions', before(SESSION_HOURS)),
        await pruneRows(em, 'apiLog', before(apiLogDays * 24)),
        eventDays !== null && (await inTransaction(deps, (inside) => pruneEvents(inside, before(eventDays * 24)))),
      ];
      if (more.includes(true)) return true;
      lookedAt = performance.now();
      return false;
    },
  };
}
