// Metrics of the replicas that are read from: which server answered how many reads, and how far each replica is behind.

import { Counter, type Registry } from 'prom-client';
import type { ReplicaFigures } from '../../database/replicas/replicas.ts';
import { watchNow } from '../../server/metrics/cached-gauges.ts';

/** From 1, in the order of DATABASE_READ_URLS, which have addresses and passwords. */
const placeOf = (nth: number): string => String(nth + 1);

/** Registers them; without replicas they have no values. */
export function watchReplicas(registry: Registry, figures: (() => ReplicaFigures) | null): void {
  new Counter({
    name: 'turnpike_replica_reads_total',
    help: 'Reads that a replica may answer, by who answered, and why it was the primary',
    labelNames: ['server', 'reason'],
    registers: [registry],
    collect() {
      this.reset();
      if (figures === null) return;
      const { read, refused } = figures();
      this.inc({ server: 'replica', reason: 'none' }, read);
      for (const [reason, count] of refused) this.inc({ server: 'primary', reason }, count);
    },
  });
  const lagsOf = (of: 'bytes' | 'seconds') => (read: typeof figures) =>
    read && new Map(read().lags.flatMap((lag, nth) => (lag === null ? [] : [[placeOf(nth), lag[of]] as const])));
  watchNow(registry, figures, [
    {
      name: 'turnpike_replica_up',
      help: 'Whether a replica is read from: 1, else 0',
      label: 'replica',
      of: (read) => read && new Map(read().lags.map((lag, nth) => [placeOf(nth), Number(lag !== null)])),
    },
    {
      name: 'turnpike_replica_lag_seconds',
      help: 'How long ago a replica was where the primary is now, as of the last look; 0 if it has everything',
      label: 'replica',
      of: lagsOf('seconds'),
    },
    {
      name: 'turnpike_replica_lag_bytes',
      help: 'What a replica has not replayed yet, as of the last look',
      label: 'replica',
      of: lagsOf('bytes'),
    },
  ]);
}
