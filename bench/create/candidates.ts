// The contestants: two that go through the gateway and two that do not.

import type { Ground } from '../shared/environment.ts';
import type { HttpTask } from '../shared/http-load.ts';
import { createPaymentDocument, paymentBody } from './payment.ts';
import type { PgTask } from './pg-load.ts';
import { runPgbench } from '../shared/pgbench.ts';
import type { Reference } from './reference.ts';
import { startRunProcess } from '../shared/run-process.ts';
import type { Contestant } from './candidate.ts';
import { unsettledRows, untilTrue } from './check-rows.ts';

/** REST or GraphQL, by the load generator. */
export function gatewayContestant(ground: Ground, name: 'rest' | 'graphql', connections: number): Contestant {
  const generator = startRunProcess<HttpTask>(new URL('../shared/http-load.js', import.meta.url));
  const task = { ...FACES[name], port: ground.port, connections };
  const headers = { Authorization: `Bearer ${ground.token}`, 'Content-Type': 'application/json' };
  return count({
    name,
    label: name === 'rest' ? 'REST POST /api/v1/payments' : 'GraphQL createPayment',
    run: async (seconds) => {
      const beforeMs = await ground.gatewayCpuMs();
      const sample = await generator.run({ ...task, headers: { ...headers, ...task.headers } }, seconds);
      const afterMs = await ground.gatewayCpuMs();
      if (beforeMs === null || afterMs === null) return sample;
      return { ...sample, gatewayMicros: ((afterMs - beforeMs) * 1_000) / sample.count };
    },
    settle: async () => {
      const startedMs = performance.now();
      await untilTrue('the events to be numbered', async () => (await unsettledRows(ground)) === 0);
      return performance.now() - startedMs;
    },
    close: () => generator.close(),
  });
}

/** What differs between the two faces. A GraphQL error is answered with 200 too: only an order in the data counts. */
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

/** One transaction each over as many connections, in JavaScript. */
export function pgContestant(reference: Reference, connections: number): Contestant {
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

/** The same by pgbench. */
export function pgbenchContestant(reference: Reference, connections: number): Contestant {
  const { ground, database, sample, nextFirstRow } = reference;
  const { host, port, user } = ground.postgres;
  return count({
    name: 'pgbench',
    label: 'pgbench, same inserts',
    run: (seconds) =>
      runPgbench(
        { host, port, user, database, sample, connections, dir: ground.dir, firstRow: nextFirstRow() },
        seconds,
      ),
    settle: () => Promise.resolve(0),
    close: () => Promise.resolve(),
  });
}

function count(contestant: Omit<Contestant, 'total'>): Contestant {
  let total = 0;
  return {
    ...contestant,
    total: () => total,
    run: async (seconds) => {
      const sample = await contestant.run(seconds);
      total += sample.count;
      return sample;
    },
  };
}
