// While the gateway stops, every row is refused with 503 (9503), and no call is answered in any other way than usual.
// Overload: test/server/admission.

import { expect, it } from '@jest/globals';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import type { Answer } from '../../support/clients.ts';
import { expectRefusal } from '../../support/expectations.ts';
import { startTestGateway } from '../../support/gateway/gateway.ts';
import { until } from '../../support/until.ts';
import { holdCall } from '../fixtures/held-call.fixture.ts';
import { ROWS } from './every-endpoint.fixture.ts';

it('a call that was begun before the stop and ends during it is refused on every row, and told to come back', async () => {
  const gateway = await startTestGateway();
  const { port } = gateway.config;
  const calls = ROWS.map(({ method, path }) => ({
    row: `${method} ${path}`,
    held: holdCall(port, method, `/api/v1${path.replaceAll(/:\w+/g, 'ord_0')}`),
  }));
  await Promise.all(calls.map(({ held }) => held.opened));
  const stopping = gateway.stop();
  await until(() => isClosed(port));
  const answers = await Promise.all(calls.map(async ({ row, held }) => ({ row, answer: await held.finish() })));
  await stopping;
  expect(answers.length).toBeGreaterThan(30);
  for (const { row, answer } of answers) {
    expectRefusal(answer, 503, '9503');
    expect([row, answer.headers['retry-after']]).toEqual([row, '1']);
  }
});

/** Whether nobody listens there any more. */
const isClosed = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });

it('callers who go on calling get the usual answer or 503', async () => {
  const gateway = await startTestGateway();
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const call = () =>
    new Promise<Answer>((resolve, reject) => {
      const outgoing = request(`${gateway.url}/api/v1/payments`, { agent }, (incoming) => {
        let text = '';
        incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
        incoming.on('error', reject);
        incoming.on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: JSON.parse(text), text });
        });
      });
      outgoing.on('error', reject).end();
    });
  const answers: Answer[] = [await call()];
  let stopped = false;
  const stopping = gateway.stop().finally(() => (stopped = true));
  const caller = async () => {
    while (!stopped) answers.push(await call());
  };
  // A connection that the server closed between two calls yields no answer at all.
  await Promise.allSettled([caller(), caller(), stopping]);
  agent.destroy();
  for (const answer of answers) {
    if (answer.status === 503) expectRefusal(answer, 503, '9503');
    else expectRefusal(answer, 401, '1001');
  }
});
