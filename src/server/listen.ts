// The doors of a server. Node takes one new connection of a listening socket in each turn of its loop, and while a
// thousand callers talk at once a turn takes milliseconds: at one door a load balancer that asks how we are would stand
// in line for seconds. So there are several on the same port (SO_REUSEPORT), and one connection comes in by each.

import type { FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';

interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Doors {
  /** Takes nothing more; resolves when the last connection that came in by them has ended. */
  close(): Promise<void>;
}

const DOORS = 16;
/** Connections that the system keeps until we take them; it cuts this to its own limit (`net.core.somaxconn`). */
const BACKLOG = 4_096;
/** Elsewhere the option is not there, or has another meaning. */
const HAS_DOORS = process.platform === 'linux';

/** Listens. Throws EADDRINUSE where somebody else does, as without doors. */
export async function openDoors(server: FastifyInstance, address: Address): Promise<Doors> {
  // SO_REUSEPORT would share the port with another gateway too, which is not wanted.
  if (HAS_DOORS && address.port !== 0) await close(await listen(createServer(), address));
  const options = { backlog: BACKLOG, reusePort: HAS_DOORS };
  await server.listen({ ...address, ...options });
  const open = ({ address: host, port }: AddressInfo) => {
    // As the server's own: a client that has said all may still be answered.
    const door = createServer({ allowHalfOpen: true, noDelay: true });
    door.on('connection', (socket) => void server.server.emit('connection', socket));
    return listen(door, { host, port, ...options });
  };
  const addresses = (HAS_DOORS ? server.addresses() : []) as AddressInfo[];
  const more = addresses.flatMap((each) => Array.from({ length: DOORS - 1 }, () => open(each)));
  const doors = await Promise.all(more);
  return { close: async () => void (await Promise.all(doors.map(close))) };
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
