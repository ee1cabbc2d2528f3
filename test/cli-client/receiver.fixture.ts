// A shop's server: it verifies what comes with the verifier that merchants install, and answers as it is told.

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from '../../sdk/typescript/src/webhooks/index.ts';
import type { Json } from '../support/clients.ts';

export interface Received {
  readonly event: Json;
  readonly headers: IncomingHttpHeaders;
  /** Why it was not genuine; null if it was. */
  readonly fault: string | null;
}

export interface Shop {
  readonly url: string;
  /** With which it verifies; set before the first webhook comes. */
  secret: string;
  /** What it answers to the next requests, 200 after them; 0 for no answer at all. */
  readonly answers: number[];
  readonly received: Received[];
  close(): Promise<void>;
}

export async function openShop(): Promise<Shop> {
  const received: Received[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    void request.toArray().then(async (chunks: Buffer[]) => {
      const rawBody = Buffer.concat(chunks);
      const signature = request.headers['x-pgw-signature'];
      const fault = await verifyWebhook({ rawBody, signature, secrets: [shop.secret] }).then(
        () => null,
        (error: unknown) => String(error),
      );
      received.push({ event: JSON.parse(rawBody.toString()), headers: request.headers, fault });
      const status = answers.shift() ?? 200;
      if (status !== 0) response.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const shop: Shop = {
    url: `http://127.0.0.1:${port}/webhooks`,
    secret: 'whsec_none',
    answers,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return shop;
}
