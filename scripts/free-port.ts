// Finds a free port.

import { createServer } from 'node:net';

/** Below the ephemeral ports, so that no outgoing connection takes the port in the meantime. */
const FIRST = 20_000;
const COUNT = 10_000;

/** A loopback port, one of ten thousand, on which nothing listens at the moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
}

/** Whether nothing listens on the port. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
