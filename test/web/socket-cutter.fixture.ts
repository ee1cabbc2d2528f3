// A proxy between a browser and a gateway that passes everything on, but can drop, refuse or hang web sockets, as
// networks and sleeping machines do.

import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface SocketCutter {
  readonly url: string;
  /** Open web sockets on which a subscription has sent something. */
  live(): number;
  /** Closes open ones; `refuse` keeps new ones from opening, until `allow`. */
  drop(refuse?: 'refuse'): void;
  allow(): void;
  /** Open ones stay open but silent for good; new ones work. */
  hang(): void;
  stop(): Promise<void>;
}

/** Starts a proxy on a free port. */
export async function startSocketCutter(target: string): Promise<SocketCutter> {
  const { hostname, port } = new URL(target);
  const all = new Set<Socket>();
  const open = new Set<Socket>();
  const live = new Set<Socket>();
  const hanging = new Set<Socket>();
  let refusing = false;
  const server = createServer((client) => {
    all.add(client);
    client.on('error', () => client.destroy());
    client.once('close', () => [all, open, live, hanging].forEach((set) => set.delete(client)));
    // A browser has a connection for each web socket: its first bytes say what it is for.
    client.once('data', (head) => {
      const isSocket = /^upgrade: *websocket\r$/im.test(head.toString('latin1'));
      if (isSocket && refusing) return client.destroy();
      if (isSocket) open.add(client);
      const gateway = connect(Number(port), hostname);
      gateway.write(head);
      gateway.on('error', () => client.destroy());
      gateway.on('data', (data) => {
        if (hanging.has(client)) return;
        if (isSocket && data.includes('"type":"next"')) live.add(client);
        client.write(data);
      });
      gateway.on('end', () => hanging.has(client) || client.end());
      client.on('data', (data) => hanging.has(client) || gateway.write(data));
      client.once('close', () => gateway.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    live: () => live.size,
    drop(refuse) {
      refusing = refuse !== undefined;
      for (const socket of open) socket.destroy();
    },
    allow: () => void (refusing = false),
    hang() {
      for (const socket of open) hanging.add(socket);
      open.clear();
      live.clear();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of all) socket.destroy();
      }),
  };
}
