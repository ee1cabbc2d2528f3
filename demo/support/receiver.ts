// The merchant's webhook receiver: a small server on loopback that keeps what it receives and answers 200.

import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { waitUntil } from './wait.ts';

/** One request as received; the signature is over exactly these bytes. */
export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: Buffer;
}

export interface Receiver {
  readonly url: string;
  /** The webhook of this type about this order or invoice. Throws `Difference` if it does not arrive. */
  waitFor(type: string, id: string): Promise<ReceivedWebhook>;
  stop(): Promise<void>;
}

/** Starts a receiver on a free port. */
export async function startReceiver(): Promise<Receiver> {
  const received: ReceivedWebhook[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then(
      (rawBody) => {
        received.push({ headers: request.headers, rawBody });
        response.setHeader('content-type', 'application/json').end('{"status":"ok"}');
      },
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/webhooks/turnpike`,
    waitFor: (type, id) =>
      waitUntil(`the webhook ${type} of ${id}`, () => received.find((one) => isAbout(one, type, id)), {
        instead: () => received.map(({ rawBody }) => rawBody.toString()),
      }),
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function isAbout({ rawBody }: ReceivedWebhook, type: string, id: string): boolean {
  const text = rawBody.toString();
  const name = id.startsWith('inv_') ? 'invoiceId' : 'orderId';
  return text.includes(`"type":"${type}"`) && text.includes(`"${name}":"${id}"`);
}
