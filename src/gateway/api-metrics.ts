// Gauges in /metrics of what the api role stands on: the shared Redis, and its certificate.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { SharedFigures } from '../server/admission/rate-limit.ts';
import type { Certificate } from '../server/certificate.ts';
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

/** Registers the end of the certificate that this process serves; without one it has no figure. */
export function watchCertificate(registry: Registry, certificate: Certificate | null): void {
  new Gauge({
    name: 'turnpike_certificate_end_seconds',
    help: 'When the served certificate ends, in seconds since 1970',
    registers: [registry],
    collect() {
      if (certificate) this.set(certificate.end().getTime() / 1_000);
      else this.remove();
    },
  });
}
