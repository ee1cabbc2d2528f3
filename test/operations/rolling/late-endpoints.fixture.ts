// A balancer of connections that notices late who has gone, as Kubernetes does: a pod that is told to stop stays an
// endpoint of its service until every node has heard of it. It asks nobody how they are, and tries nothing twice.

import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export interface LateEndpoints {
  readonly url: string;
  /** Begins to send connections there. */
  add(port: number): void;
  /** No new connection goes there from now on. */
  remove(port: number): void;
  /** New connections go there for a while yet. */
  removeLate(port: number): void;
  stop(): Promise<void>;
}

export async function startLateEndpoints(lateMs: number): Promise<LateEndpoints> {
  const ports: number[] = [];
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((caller) => {
    const endpoint = connect(ports[(turn += 1) % ports.length] ?? 0, '127.0.0.1');
    for (const [socket, other] of [
      [caller, endpoint],
      [endpoint, caller],
    ] as const) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      // A refused or reset connection is reset for the caller, too.
      socket.on('error', () => other.resetAndDestroy());
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const remove = (port: number) => {
    const index = ports.indexOf(port);
    if (index >= 0) ports.splice(index, 1);
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (port) => void ports.push(port),
    remove,
    removeLate: (port) => void setTimeout(() => remove(port), lateMs),
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
