// Gives committed events their numbers: a global position, by which the relay and live updates read, and a sequence
// per merchant, by which merchants read. Both gap-free, each payment's changes in the order of their versions.

import { setTimeout as rest } from 'node:timers/promises';
import { hasUnnumberedEvents, NUMBERING_BATCH, numberEvents } from '../../database/queries/events/number-events.ts';
import type { Deps } from '../../domain/deps.ts';
import type { Worker } from '../../loop.ts';

/** Commits are nudged one by one; a pause between two batches makes a hundred of them one batch, at little delay. */
const PAUSE_MS = 10;

/**
 * Makes the worker. Any number of processes may run it: for each batch one of them leads and the others rest.
 * `onNumbered` is told after each batch that the log has grown.
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
