// Liveness, readiness and metrics. They need no token and are not rate-limited.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ObservedOperation } from '../../graphql/observed-engine.ts';
import { watchCalls, watchAnonymous, type CountCall } from './http.ts';
import { watchWork, type CountWork } from './work.ts';

/** A condition of readiness: null if it holds, otherwise what is wrong. */
export type ReadinessCheck = () => Promise<string | null>;

/** A network with halted signing, as the public may see it: since when, and what its operator runs. */
export interface HaltedNetwork {
  readonly network: string;
  readonly since: string;
  readonly command: string;
}

export interface Metrics {
  readonly registry: Registry;
  readonly countCall: CountCall;
  /** Counts a call without a known merchant. */
  countAnonymous(status: number, errorCode: string | null): void;
  /** Counts an operation of GraphQL, whatever transport it came by. */
  countOperation(operation: ObservedOperation): void;
  /** Counts a question to the nodes of a network. */
  readonly countQuestion: CountWork<'network' | 'method'>;
  /** Counts a signature for a network. */
  readonly countSignature: CountWork<'network'>;
  /** How many rules the book breaks. */
  ledgerFaults(count: number): void;
  /** The surplus on chain that the book cannot explain, in base units. */
  custodyDifference(network: string, currency: string, units: bigint): void;
  /** Whether a network's node can be reached and is as expected. */
  networkAvailable(network: string, isAvailable: boolean): void;
}

/**
 * Makes the metrics of this process. A metric exists only where its role runs: "0 faults" would mislead where nothing
 * checks for them.
 */
export function createMetrics(roles: ReadonlySet<string>): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const of = (role: string) => (roles.has(role) ? [registry] : []);
  const faults = new Gauge({
    name: 'turnpike_ledger_faults',
    help: 'Rules of the book that do not hold',
    registers: of('observer'),
  });
  const differences = new Gauge({
    name: 'turnpike_custody_difference',
    help: 'What the chain holds more than the book can explain, in base units; suspense counts as not explained',
    labelNames: ['network', 'currency'] as const,
    registers: of('observer'),
  });
  const available = new Gauge({
    name: 'turnpike_network_available',
    help: 'Whether the node of a network is there and is what it should be: 1, else 0',
    labelNames: ['network'] as const,
    registers: [registry],
  });
  return {
    ...watchWorkOf(roles, registry),
    registry,
    ledgerFaults: (count) => faults.set(count),
    custodyDifference: (network, currency, units) => differences.set({ network, currency }, Number(units)),
    networkAvailable: (network, isAvailable) => available.set({ network }, isAvailable ? 1 : 0),
    countCall: watchCalls(of('api')),
    countAnonymous: watchAnonymous(of('api')),
  };
}

/** The counts of work, with their times. */
function watchWorkOf(roles: ReadonlySet<string>, registry: Registry) {
  const of = (role: string) => (roles.has(role) ? [registry] : []);
  const countOperation = watchWork(of('api'), {
    ...{ total: 'turnpike_graphql_operations_total', seconds: 'turnpike_graphql_operation_seconds' },
    ...{ help: 'Operations of GraphQL by their field at the top', labels: ['kind', 'field'] },
  });
  return {
    countOperation: ({ kind, field, outcome, seconds }: ObservedOperation) =>
      countOperation({ kind, field }, outcome, seconds),
    countQuestion: watchWork([registry], {
      ...{ total: 'turnpike_chain_questions_total', seconds: 'turnpike_chain_question_seconds' },
      ...{ help: 'Questions to the nodes of a network', labels: ['network', 'method'], detail: ['method'] },
    }),
    countSignature: watchWork(of('signer'), {
      ...{ total: 'turnpike_signatures_total', seconds: 'turnpike_signature_seconds' },
      ...{ help: 'Signatures made for a network', labels: ['network'] },
    }),
  };
}

interface HealthParts {
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /**
   * Networks whose payouts wait for their operator. All the rest goes on, so they make nothing less ready; where they
   * cannot be read, the answer says that they are not known.
   */
  readonly readHalted: () => Promise<readonly HaltedNetwork[]>;
  readonly metrics: Metrics;
}

/** Registers /healthz, /readyz and /metrics. */
export function registerHealth(server: FastifyInstance, { checks, readHalted, metrics }: HealthParts): void {
  server.get('/healthz', () => ({ status: 'ok' }));
  server.get('/readyz', async (request, reply) => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        const fault = check().catch((error: unknown) => {
          logFailure(request, name, error);
          return 'does not work';
        });
        return [name, await fault] as const;
      }),
    );
    const faults = results.filter(([, fault]) => fault !== null);
    void reply.code(faults.length === 0 ? 200 : 503);
    const readOrTell = () =>
      readHalted().catch((error: unknown) => {
        logFailure(request, 'halted', error);
        return null;
      });
    const halted = faults.length === 0 ? await readOrTell() : [];
    return {
      status: faults.length === 0 ? 'ready' : 'not ready',
      faults: Object.fromEntries(faults),
      ...(halted?.length !== 0 && { halted }),
    };
  });
  server.get('/metrics', async (_request, reply) => {
    void reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });
}

/** This is public, so the reason goes to the log alone. */
function logFailure({ log, id: requestId }: FastifyRequest, check: string, err: unknown): void {
  log.error({ err, requestId, check }, 'a readiness check failed');
}
