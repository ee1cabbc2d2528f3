// Picks a loopback address that cannot be guessed for a development node. Anyone who reaches the node controls its
// chain, and any web page that a developer visits can reach 127.0.0.1: a web socket needs no permission, and ports are
// quickly scanned.

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** One byte of an address, without the values of network and broadcast addresses. */
const byte = () => String(randomInt(1, 255));

/**
 * A loopback address, one of 16 million on Linux, where all of 127.0.0.0/8 works; elsewhere 127.0.0.1. With the port,
 * which is random too, a page would have to try some 4 × 10^11 combinations.
 */
export async function hiddenHost(): Promise<string> {
  const host = ['127', byte(), byte(), byte()].join('.');
  return (await canListenOn(host)) ? host : '127.0.0.1';
}

async function canListenOn(host: string): Promise<boolean> {
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
