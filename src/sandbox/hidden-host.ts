// Where a development node listens. Who reaches one has its whole chain, and any page that a developer visits reaches
// 127.0.0.1: a web socket needs no permission, and ports are soon gone through. So the address is one that cannot be
// guessed.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** One byte of an address, of those that are neither a network's own nor its broadcast. */
const byte = () => String(randomInt(1, 255));

/**
 * An address of this machine alone, one of 16 million on Linux, where all of 127.0.0.0/8 is; elsewhere 127.0.0.1. With
 * the port, which is drawn at random too, a page would have to try some 4 × 10^11 places.
 */
export async function hiddenHost(): Promise<string> {
  const host = ['127', byte(), byte(), byte()].join('.');
  return (await isOurs(host)) ? host : '127.0.0.1';
}

async function isOurs(host: string): Promise<boolean> {
  const server = createServer();
  try {
    server.listen(0, host);
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}
