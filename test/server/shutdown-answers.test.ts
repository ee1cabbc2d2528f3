// While the gateway stops, every response is the usual one or a 503 with 9503. Overload: test/server/admission.

import { describe, it } from '@jest/globals';
import { Agent, request } from 'node:http';
import type { Answer } from '../support/clients.ts';
import { expectRefusal } from '../support/expectations.ts';
import { startTestGateway } from '../support/gateway/gateway.ts';

describe('during shutdown', () => {
  it('every response is the usual one or a 503 (9503)', async () => {
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
});
