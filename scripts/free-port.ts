// Finds a free port.

import { createServer } from 'node:net';

/** Below the ephemeral ports, so that no outgoing connection takes it meanwhile. */
const FIRST = 20_000;
const COUNT = 10_000;

/** A port of loopback that nobody listens on at this moment, one of ten thousand. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
}

/** Whether nobody listens on it. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
