// The HTTP server of a process without the api role: liveness, readiness and metrics, on a port of its own.

import type { Config } from '../config/config.ts';
import type { Deps } from '../domain/deps.ts';
import { readHaltedNetworks } from '../domain/witness/witness.ts';
import { registerHealth, type Metrics } from '../server/metrics/health.ts';
import { closeGracefully, createHttpServer } from '../server/http-server.ts';
import type { Drain } from './drain.ts';
import { readinessOf, type GatewayPatience, type Stops } from './lifecycle.ts';

interface HealthServerParts {
  readonly config: Config;
  readonly deps: Deps;
  readonly stops: Stops;
  readonly metrics: Metrics;
  readonly drain: Drain;
  readonly patience: GatewayPatience | undefined;
}

/** Serves /healthz, /readyz and /metrics on `METRICS_PORT`; does nothing if that is not set. */
export async function startHealthServer(parts: HealthServerParts): Promise<void> {
  const { config, deps, stops, metrics, drain, patience } = parts;
  if (config.metricsPort === null) return;
  const server = createHttpServer({
    log: deps.log,
    ...(patience && { patience: patience.callers }),
    trustProxy: [],
    httpsOnly: false,
    tls: null,
    onAnswered: () => undefined,
  });
  registerHealth(server, { checks: readinessOf(deps.db, drain), readHalted: () => readHaltedNetworks(deps), metrics });
  await server.listen({ host: config.host, port: config.metricsPort });
  stops.push(() => closeGracefully(server));
}
