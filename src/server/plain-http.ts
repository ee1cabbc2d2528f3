// Plain HTTP on the port of HTTPS. A TLS handshake begins with the byte 22, and no method of HTTP does: a client that
// speaks plain HTTP is told to use HTTPS (1008, contract, section 2) in place of a connection that breaks.

import type { FastifyInstance } from 'fastify';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The content type of a TLS record that carries a handshake (RFC 8446, section 5.1). */
const HANDSHAKE = 0x16;

interface PlainOptions {
  /** Options of the server that reads plain requests. */
  readonly http: ServerOptions;
  /** How long a connection may be silent before its first byte, in milliseconds. */
  readonly silentMs: number;
  /** How long a connection of plain HTTP lives at most, in milliseconds. */
  readonly longestMs: number;
  /** Refuses an upgrade. */
  refuseUpgrade(request: IncomingMessage, socket: Duplex): void;
  /** Answers what is not HTTP either. */
  onMalformed(error: NodeJS.ErrnoException, socket: Socket): void;
}

/** Looks at the first byte of each connection: a handshake goes on as it did, anything else is read as plain HTTP. */
export function admitPlainHttp(server: FastifyInstance, options: PlainOptions): void {
  const secure = server.server;
  const handshakes = secure.listeners('connection') as ((socket: Socket) => void)[];
  const plain = openPlain(secure, options);
  const open = new Set<Socket>();
  const forget = (socket: Socket) => open.delete(socket);
  const drop = (socket: Socket) => () => socket.destroy();
  secure.removeAllListeners('connection');
  secure.on('connection', (socket: Socket) => {
    open.add(socket);
    const dropSilent = drop(socket);
    socket.once('close', () => forget(socket));
    socket.once('error', dropSilent);
    socket.setTimeout(options.silentMs, dropSilent);
    socket.once('data', (first: Buffer) => {
      socket.setTimeout(0).removeListener('timeout', dropSilent).removeListener('error', dropSilent);
      socket.pause();
      socket.unshift(first);
      if (first[0] === HANDSHAKE) {
        forget(socket);
        for (const listener of handshakes) listener.call(secure, socket);
        return;
      }
      const end = setTimeout(drop(socket), options.longestMs);
      socket.once('close', () => clearTimeout(end));
      plain.emit('connection', socket);
      socket.resume();
    });
  });
  server.addHook('preClose', (done) => {
    for (const socket of open) socket.destroy();
    done();
  });
}

/** Reads plain requests, and passes them on to be refused as any other call is. It never listens. */
function openPlain(secure: Server, { http, refuseUpgrade, onMalformed }: PlainOptions): Server {
  const plain = createServer(http, (request: IncomingMessage, response: ServerResponse) => {
    // No proxy that ended TLS stands before a port of TLS.
    delete request.headers['x-forwarded-proto'];
    response.shouldKeepAlive = false;
    secure.emit('request', request, response);
  });
  plain.on('upgrade', refuseUpgrade);
  plain.on('connect', refuseUpgrade);
  plain.on('clientError', (error, socket) => onMalformed(error, socket as Socket));
  return plain;
}
