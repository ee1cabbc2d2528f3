// Metrics of the database: whether it answers, its pool of connections, its standbys, and its clock.

import { Counter, type Registry } from 'prom-client';
import { setTimeout as rest } from 'node:timers/promises';
import type { Clock } from '../database/clock.ts';
import { query, type Database } from '../database/connection.ts';
import { readReplicationLag } from '../database/queries/server/replication-lag.ts';
import { watchCostly, watchNow } from '../server/metrics/cached-gauges.ts';
import { watchTimings } from '../server/metrics/timings.ts';

/** An answer that takes longer counts as none. */
const ANSWER_WITHIN_MS = 3_000;

/** Registers them. `clock` follows the database's. */
export function watchDatabase(registry: Registry, db: Database, clock: Clock): void {
  watchPool(registry, db);
  watchCostly(registry, () => answers(db), [
    {
      name: 'turnpike_database_up',
      help: 'Whether the database answers: 1, else 0',
      of: (isUp) => Number(isUp),
    },
  ]);
  watchCostly(registry, () => readReplicationLag(db.em), [
    {
      name: 'turnpike_database_standbys',
      help: 'Standbys that stream from this database',
      of: (found) => found && found.standbys,
    },
    {
      name: 'turnpike_database_replication_lag_seconds',
      help: 'How long ago the standby that is furthest behind was where it is now',
      of: (found) => found && found.lagSeconds,
    },
    {
      name: 'turnpike_database_replication_lag_bytes',
      help: 'What the standby that is furthest behind has not replayed yet',
      of: (found) => found && found.lagBytes,
    },
  ]);
  watchNow(registry, clock, [
    {
      name: 'turnpike_clock_skew_seconds',
      help: "How far this machine's clock is ahead of the database's; negative: behind",
      of: (one) => (Date.now() - one.now().getTime()) / 1_000,
    },
  ]);
}

async function answers({ em }: Database): Promise<boolean> {
  const over = new AbortController();
  const answer = query(em, 'select 1').then(
    () => true,
    () => false,
  );
  const late = rest(ANSWER_WITHIN_MS, false, { signal: over.signal, ref: false }).catch(() => false);
  return Promise.race([answer, late]).finally(() => over.abort());
}

function watchPool(registry: Registry, { pool, waits }: Database): void {
  watchNow(registry, pool, [
    {
      name: 'turnpike_database_connections',
      help: 'Connections to the database, by state',
      label: 'state',
      of: ({ totalCount, idleCount }) =>
        new Map([
          ['idle', idleCount],
          ['used', totalCount - idleCount],
        ]),
    },
    {
      name: 'turnpike_database_connections_max',
      help: 'The most connections that the pool may have',
      of: ({ options }) => options.max,
    },
    {
      name: 'turnpike_database_waiting',
      help: 'Requests waiting for a database connection',
      of: ({ waitingCount }) => waitingCount,
    },
  ]);
  watchTimings([registry], {
    name: 'turnpike_database_wait_seconds',
    help: 'How long work waited for a connection to the database',
    all: () => [{ labels: {}, timings: waits.timings }],
  });
  new Counter({
    name: 'turnpike_database_connect_failures_total',
    help: 'How often work got no connection to the database',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(waits.failures);
    },
  });
}
