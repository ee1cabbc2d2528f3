// Numbers committed events: a global position, which the relay and subscriptions read by, and a sequence per merchant,
// which merchants read by. Both are gapless, and keep each payment's changes in the order of their versions.

import { setTimeout as rest } from 'node:timers/promises';
import { hasUnnumberedEvents, NUMBERING_BATCH, numberEvents } from '../../database/queries/events/number-events.ts';
import type { Deps } from '../../domain/deps.ts';
import type { Worker } from '../../loop.ts';

/** Each commit wakes the worker; this pause between batches turns a hundred commits into one batch, at little delay. */
const PAUSE_MS = 10;

/**
 * Creates the worker. Any number of processes may run it: for each batch one leads and the others wait. `onNumbered` is
 * called after each batch.
 */
export function createEventNumbering(deps: Pick<Deps, 'db'>, onNumbered: () => void = () => undefined): Worker {
  const { pool } = deps.db;
  let lastBatchAtMs = -PAUSE_MS;
  return {
    name: 'number-events',
    async processNext() {
      const pauseMs = lastBatchAtMs + PAUSE_MS - performance.now();
      if (pauseMs > 0) await rest(pauseMs);
      if (!(await hasUnnumberedEvents(pool))) return false;
      const numbered = await numberEvents(pool);
      lastBatchAtMs = performance.now();
      if (numbered === null || numbered === 0) return false;
      onNumbered();
      return numbered >= NUMBERING_BATCH;
    },
  };
}
