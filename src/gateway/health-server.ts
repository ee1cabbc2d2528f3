// The HTTP server of a process without the api role: liveness, readiness and metrics, on a port of its own.

import type { Config } from '../config/config.ts';
import { query } from '../database/connection.ts';
import type { Deps } from '../domain/deps.ts';
import { readHaltedNetworks } from '../domain/witness/witness.ts';
import { registerHealth, type Metrics } from '../server/metrics/health.ts';
import { closeGracefully, createHttpServer } from '../server/http-server.ts';
import type { Stops } from './lifecycle.ts';

interface HealthServerParts {
  readonly config: Config;
  readonly deps: Deps;
  readonly stops: Stops;
  readonly metrics: Metrics;
}

/** Serves /healthz, /readyz and /metrics on `METRICS_PORT`; does nothing if that is not set. */
export async function startHealthServer({ config, deps, stops, metrics }: HealthServerParts): Promise<void> {
  if (config.metricsPort === null) return;
  const server = createHttpServer({
    log: deps.log,
    trustProxy: [],
    httpsOnly: false,
    tls: null,
    onAnswered: () => undefined,
  });
  const database = () => query(deps.db.em, 'select 1').then(() => null);
  registerHealth(server, { checks: { database }, readHalted: () => readHaltedNetworks(deps), metrics });
  await server.listen({ host: config.host, port: config.metricsPort });
  stops.push(() => closeGracefully(server));
}
