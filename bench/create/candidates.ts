// The candidates of the create bench: three that go through the gateway and three that do not.

import type { BenchEnvironment } from '../shared/environment.ts';
import type { HttpTask } from '../shared/http-load.ts';
import { CHOOSE, CREATE } from './invoice/calls.ts';
import type { InvoiceSample } from './invoice/sample.ts';
import { writeInvoiceScript } from './invoice/script.ts';
import { createPaymentDocument, paymentBody } from './payment.ts';
import type { PgTask } from './pg-load.ts';
import { runPgbench, runScript, type PgbenchPlace } from '../shared/pgbench.ts';
import type { Reference } from './reference-database.ts';
import { startRunProcess } from '../shared/run-process.ts';
import type { Candidate } from './candidate.ts';
import { unsettledRows, untilTrue } from './check-rows.ts';

/** The gateway over REST or GraphQL, driven by the load generator. */
export function gatewayCandidate(
  environment: BenchEnvironment,
  name: keyof typeof FACES,
  connections: number,
): Candidate {
  const generator = startRunProcess<HttpTask>(new URL('../shared/http-load.js', import.meta.url));
  const { label, headers: own, ...face } = FACES[name];
  const task = { ...face, port: environment.port, connections };
  const headers = { Authorization: `Bearer ${environment.token}`, 'Content-Type': 'application/json' };
  return count({
    name,
    label,
    run: async (seconds) => {
      const beforeMs = await environment.gatewayCpuMs();
      const sample = await generator.run({ ...task, headers: { ...headers, ...own } }, seconds);
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
    label: 'REST POST /api/v1/payments',
    path: '/api/v1/payments',
    headers: {},
    body: JSON.stringify(paymentBody),
    expectStatus: 201,
    expectBody: '{"success":true,"data":{"orderId":"ord_',
  },
  graphql: {
    label: 'GraphQL createPayment',
    path: '/graphql',
    headers: { Accept: 'application/graphql-response+json' },
    body: JSON.stringify({ query: createPaymentDocument, variables: { input: paymentBody } }),
    expectStatus: 200,
    expectBody: '{"data":{"createPayment":{"id":"ord_',
  },
  invoice: { label: 'REST invoice, then a coin', headers: {}, ...CREATE, next: CHOOSE },
} satisfies Record<string, Omit<HttpTask, 'port' | 'connections'> & { readonly label: string }>;

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
  const { sample, nextFirstRow } = reference;
  const place = placeOf(reference, connections);
  return count({
    name: 'pgbench',
    label: 'pgbench, same inserts',
    run: (seconds) => runPgbench({ ...place, sample, firstRow: nextFirstRow() }, seconds),
    settle: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  });
}

/** The rows of an invoice and of its choice by pgbench, in two transactions. */
export function invoicePgbenchCandidate(reference: Reference, sample: InvoiceSample, connections: number): Candidate {
  const place = placeOf(reference, connections);
  const script = writeInvoiceScript(sample);
  return count({
    name: 'invoice-pgbench',
    label: 'pgbench, same rows in two transactions',
    run: (seconds) => runScript(place, { ...script, firstRow: reference.nextFirstRow(), until: { seconds } }),
    settle: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  });
}

function placeOf({ environment, database }: Reference, connections: number): PgbenchPlace {
  const { host, port, user } = environment.postgres;
  return { host, port, user, database, connections, dir: environment.dir };
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
