// A node for processes that must be configured with one but never use it: it only says that it is not a development
// chain. A dispatcher attached to the real chain would set the faucet's balance behind the back of the chain's journal.

import { createServer, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface IdleNode {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the node on a free loopback port. */
export async function startIdleNode(): Promise<IdleNode> {
  const server = createServer((request, response) => {
    readCall(request).then(
      ({ id, method }) => {
        const answer =
          method === 'web3_clientVersion'
            ? { result: 'idle/1.0' }
            : { error: { code: -32_601, message: 'nothing is known here' } };
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
      },
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readCall(request: IncomingMessage): Promise<{ id?: unknown; method?: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as { id?: unknown; method?: string };
}
