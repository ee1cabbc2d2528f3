// Sends a burst of calls from a process of its own: `burst-program.js URL TOKEN CALLS` sends them all at once, each on
// its own connection, and prints how each was answered, as JSON.

import { Agent, request } from 'node:http';

/** How one call was answered. */
export interface Ending {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly code: string | null;
}

const [url = '', token = '', calls = '0'] = process.argv.slice(2);
const agent = new Agent({ keepAlive: false });

function call(): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers: { authorization: `Bearer ${token}` }, agent }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      incoming.on('end', () => {
        const { statusCode: status = 0, headers } = incoming;
        const body = JSON.parse(text) as { error?: { code: string } };
        const retryAfter = headers['retry-after'] ?? null;
        resolve({ status, retryAfter, code: body.error?.code ?? null });
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const endings = await Promise.all(Array.from({ length: Number(calls) }, call));
process.stdout.write(JSON.stringify(endings));
