// Shutdown: calls are answered, or rejected in the usual form (9503). Overload is tested in test/server/admission.

import { describe, it } from '@jest/globals';
import { Agent, request } from 'node:http';
import type { Answer } from '../../support/clients.ts';
import { expectRefusal } from '../../support/expectations.ts';
import { startTestGateway } from '../../support/gateway/gateway.ts';

describe('while it stops', () => {
  it('every call that is taken is answered, or refused in the usual form (9503)', async () => {
    const second = await startTestGateway();
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const call = () =>
      new Promise<Answer>((resolve, reject) => {
        const outgoing = request(`${second.url}/api/v1/payments`, { agent }, (incoming) => {
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
    const stopping = second.stop().finally(() => (stopped = true));
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
