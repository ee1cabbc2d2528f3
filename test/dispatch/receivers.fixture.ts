// Receivers for the egress tests: real servers on loopback, closed with all their sockets.

import { createServer as createHttp, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { createServer as createTcp, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import { RECEIVER_KEY } from '../support/tls.ts';

export interface Receiver {
  readonly port: number;
  /** `http://127.0.0.1:{port}` or, for TLS, `https://receiver.test:{port}`. */
  readonly url: string;
  readonly requests: IncomingMessage[];
  /** How many connections were accepted. */
  connections(): number;
}

/**
 * Keep-alive is long, because a post on a connection that a receiver closes while the test stands still would be lost.
 */
const KEPT_MS = 600_000;

const running: { server: TcpServer; sockets: Set<Socket> }[] = [];

/** An HTTP receiver, on 127.0.0.1 unless told otherwise. */
export function receive(listener: RequestListener, { host = '127.0.0.1', port = 0 } = {}): Promise<Receiver> {
  const requests: IncomingMessage[] = [];
  return listen(
    createHttp({ keepAliveTimeout: KEPT_MS }, recorded(listener, requests)),
    requests,
    'http://127.0.0.1',
    host,
    port,
  );
}

/** An HTTPS receiver that shows this certificate. */
export function receiveTls(cert: string, listener: RequestListener): Promise<Receiver> {
  const requests: IncomingMessage[] = [];
  const server = createHttps({ key: RECEIVER_KEY, cert, keepAliveTimeout: KEPT_MS }, recorded(listener, requests));
  return listen(server, requests, 'https://receiver.test', '127.0.0.1', 0);
}

/** A receiver of raw bytes: called for each connection when the request's first bytes have arrived. */
export function receiveBytes(onRequest: (socket: Socket) => void): Promise<Receiver> {
  const server = createTcp((socket) => {
    socket.once('data', () => {
      onRequest(socket);
    });
  });
  return listen(server, [], 'http://127.0.0.1', '127.0.0.1', 0);
}

/**
 * A host and port on which nothing listens: a port that was allocated once, on an address that we do not use otherwise.
 */
export async function nobody(): Promise<string> {
  const server = createTcp();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.9', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.9:${String(port)}`;
}

/** Closes all receivers and cuts their sockets. */
export async function closeReceivers(): Promise<void> {
  for (const { server, sockets } of running.splice(0)) {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

function recorded(listener: RequestListener, requests: IncomingMessage[]): RequestListener {
  return (request, response) => {
    requests.push(request);
    request.resume();
    return listener(request, response);
  };
}

async function listen(
  server: TcpServer | Server,
  requests: IncomingMessage[],
  origin: string,
  host: string,
  wantedPort: number,
): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(wantedPort, host, resolve);
  });
  running.push({ server, sockets });
  const { port } = server.address() as AddressInfo;
  return { port, url: `${origin}:${String(port)}`, requests, connections: () => connections };
}
