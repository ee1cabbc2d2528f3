// Gauges in /metrics of what the api role stands on: the shared Redis, and its certificate.

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { SharedFigures } from '../server/admission/rate-limit.ts';
import { watchCostly } from '../server/metrics/cached-gauges.ts';
import { watchTimings } from '../server/metrics/timings.ts';

/** Registers the metrics of the shared Redis; without one they have no figures. */
export function watchRedis(registry: Registry, redis: SharedFigures | null): void {
  watchCostly(registry, async () => redis && (await redis.isUp()), [
    {
      name: 'turnpike_redis_up',
      help: 'Whether the Redis of shared rate limits answers: 1, else 0',
      of: (isUp) => (isUp === null ? null : Number(isUp)),
    },
  ]);
  new Counter({
    name: 'turnpike_redis_failures_total',
    help: 'Calls that Redis did not count in time, and this process counted for itself',
    registers: [registry],
    collect() {
      this.reset();
      if (redis) this.inc(redis.failures);
    },
  });
  watchTimings([registry], {
    name: 'turnpike_redis_seconds',
    help: 'How long Redis took to count a call',
    all: () => (redis ? [{ labels: {}, timings: redis.timings }] : []),
  });
}

/** Registers the end of the certificate that this process serves: the one that the file had when it started. */
export function watchCertificate(registry: Registry, { tls }: Pick<Config, 'tls'>): void {
  const end = new Gauge({
    name: 'turnpike_certificate_end_seconds',
    help: 'When the served certificate ends, in seconds since 1970',
    registers: [registry],
  });
  end.remove();
  if (tls) end.set(new X509Certificate(readFileSync(tls.certPath)).validToDate.getTime() / 1_000);
}
