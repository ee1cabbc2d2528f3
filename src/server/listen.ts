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
  /** Stops accepting; resolves when the last connection that they accepted has ended. */
  close(): Promise<void>;
}

const LISTENERS_PER_ADDRESS = 16;
/** The backlog of connections that are not accepted yet; the system cuts it to `net.core.somaxconn`. */
const BACKLOG = 4_096;
/** Whether sockets can share a port. On other systems the option is missing or means something else. */
const CAN_SHARE_PORT = process.platform === 'linux';

/** Listens. Throws EADDRINUSE if the port is taken, as an ordinary listen does. */
export async function listenTogether(server: FastifyInstance, address: Address): Promise<Listeners> {
  // Probe first: SO_REUSEPORT would share the port with a second gateway.
  if (CAN_SHARE_PORT && address.port !== 0) await close(await listen(createServer(), address));
  const options = { backlog: BACKLOG, reusePort: CAN_SHARE_PORT };
  await server.listen({ ...address, ...options });
  const open = ({ address: host, port }: AddressInfo) => {
    // As on the server's own socket: a client that has half-closed may still be answered.
    const listener = createServer({ allowHalfOpen: true, noDelay: true });
    listener.on('connection', (socket) => void server.server.emit('connection', socket));
    return listen(listener, { host, port, ...options });
  };
  const addresses = (CAN_SHARE_PORT ? server.addresses() : []) as AddressInfo[];
  const more = addresses.flatMap((each) => Array.from({ length: LISTENERS_PER_ADDRESS - 1 }, () => open(each)));
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
