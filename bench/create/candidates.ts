// The candidates of the create bench: two that go through the gateway and two that do not.

import type { BenchEnvironment } from '../shared/environment.ts';
import type { HttpTask } from '../shared/http-load.ts';
import { createPaymentDocument, paymentBody } from './payment.ts';
import type { PgTask } from './pg-load.ts';
import { runPgbench } from '../shared/pgbench.ts';
import type { Reference } from './reference-database.ts';
import { startRunProcess } from '../shared/run-process.ts';
import type { Candidate } from './candidate.ts';
import { unsettledRows, untilTrue } from './check-rows.ts';

/** The gateway over REST or GraphQL, driven by the load generator. */
export function gatewayCandidate(
  environment: BenchEnvironment,
  name: 'rest' | 'graphql',
  connections: number,
): Candidate {
  const generator = startRunProcess<HttpTask>(new URL('../shared/http-load.js', import.meta.url));
  const task = { ...FACES[name], port: environment.port, connections };
  const headers = { Authorization: `Bearer ${environment.token}`, 'Content-Type': 'application/json' };
  return count({
    name,
    label: name === 'rest' ? 'REST POST /api/v1/payments' : 'GraphQL createPayment',
    run: async (seconds) => {
      const beforeMs = await environment.gatewayCpuMs();
      const sample = await generator.run({ ...task, headers: { ...headers, ...task.headers } }, seconds);
      const afterMs = await environment.gatewayCpuMs();
      if (beforeMs === null || afterMs === null) return sample;
      return { ...sample, gatewayMicros: ((afterMs - beforeMs) * 1_000) / sample.count };
    },
    settle: async () => {
      const startedMs = performance.now();
      await untilTrue('the events to be numbered', async () => (await unsettledRows(environment)) === 0);
      return performance.now() - startedMs;
    },
    close: () => generator.close(),
  });
}

/** What differs between the two APIs. GraphQL errors have status 200 too, so only an order in the data counts. */
const FACES = {
  rest: {
    path: '/api/v1/payments',
    headers: {},
    body: JSON.stringify(paymentBody),
    expectStatus: 201,
    expectBody: '{"success":true,"data":{"orderId":"ord_',
  },
  graphql: {
    path: '/graphql',
    headers: { Accept: 'application/graphql-response+json' },
    body: JSON.stringify({ query: createPaymentDocument, variables: { input: paymentBody } }),
    expectStatus: 200,
    expectBody: '{"data":{"createPayment":{"id":"ord_',
  },
};

/** The same inserts by the pg client in JavaScript: one transaction per payment, over as many connections. */
export function pgCandidate(reference: Reference, connections: number): Candidate {
  const { url, sample, nextFirstRow } = reference;
  const client = startRunProcess<PgTask>(new URL('./pg-load.js', import.meta.url));
  return count({
    name: 'pg',
    label: 'bare pg client, same inserts',
    run: (seconds) => client.run({ url, sample, connections, firstRow: nextFirstRow() }, seconds),
    settle: () => Promise.resolve(0),
    close: () => client.close(),
  });
}

/** The same inserts by pgbench. */
export function pgbenchCandidate(reference: Reference, connections: number): Candidate {
  const { environment, database, sample, nextFirstRow } = reference;
  const { host, port, user } = environment.postgres;
  return count({
    name: 'pgbench',
    label: 'pgbench, same inserts',
    run: (seconds) =>
      runPgbench(
        { host, port, user, database, sample, connections, dir: environment.dir, firstRow: nextFirstRow() },
        seconds,
      ),
    settle: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  });
}

function count(candidate: Omit<Candidate, 'total'>): Candidate {
  let total = 0;
  return {
    ...candidate,
    total: () => total,
    run: async (seconds) => {
      const sample = await candidate.run(seconds);
      total += sample.count;
      return sample;
    },
  };
}
