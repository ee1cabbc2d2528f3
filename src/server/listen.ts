// Listens with several sockets on one port (SO_REUSEPORT). Node accepts one connection per listening socket in each
// turn of its event loop, and under load a turn takes milliseconds: with one socket, a health check would wait for
// seconds.

import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Listeners {
  /** Takes nothing more; resolves when the last connection that came in by them has ended. */
  close(): Promise<void>;
}

const DOORS = 16;
/** The backlog of connections that are not accepted yet; the system cuts it to `net.core.somaxconn`. */
const BACKLOG = 4_096;
/** On other systems the option does not exist or means something else. */
const HAS_DOORS = process.platform === 'linux';

/** Listens. Throws EADDRINUSE if the port is taken, as an ordinary listen does. */
export async function listenTogether(server: FastifyInstance, address: Address): Promise<Listeners> {
  // Probe first: SO_REUSEPORT would share the port with a second gateway.
  if (HAS_DOORS && address.port !== 0) await close(await listen(createServer(), address));
  const options = { backlog: BACKLOG, reusePort: HAS_DOORS };
  await server.listen({ ...address, ...options });
  const open = ({ address: host, port }: AddressInfo) => {
    // As on the server's own socket: a client that has half-closed may still be answered.
    const door = createServer({ allowHalfOpen: true, noDelay: true });
    door.on('connection', (socket) => void server.server.emit('connection', socket));
    return listen(door, { host, port, ...options });
  };
  const addresses = (HAS_DOORS ? server.addresses() : []) as AddressInfo[];
  const more = addresses.flatMap((each) => Array.from({ length: DOORS - 1 }, () => open(each)));
  const listeners = await Promise.all(more);
  return { close: async () => void (await Promise.all(listeners.map(close))) };
}

async function listen(server: Server, options: Address & { readonly reusePort?: boolean }): Promise<Server> {
  server.listen(options);
  await once(server, 'listening');
  return server;
}

async function close(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}
