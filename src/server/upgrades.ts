// Upgrades of a connection: those of /graphql are passed on, and others refused like any other call.

import type { FastifyInstance } from 'fastify';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { GatewayError } from '../values/errors.ts';
import { requestIdOf } from './admission/authenticate.ts';
import { withoutTrailingSlash } from './paths.ts';
import { failure, toPublicError } from './public-errors.ts';

/** Answers a refused upgrade like any other call: status, envelope, request id. */
export function refuseUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  error: unknown,
  headers: Readonly<Record<string, string | number>> = {},
): void {
  const shown = toPublicError(error);
  const body = JSON.stringify(failure(shown));
  const all = {
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestIdOf(request.headers['x-request-id']),
    ...(shown.retryAfterSeconds === undefined ? {} : { 'Retry-After': shown.retryAfterSeconds }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.on('error', () => undefined);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${shown.status} ${STATUS_CODES[shown.status] ?? ''}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}

/** Passes upgrades of /graphql on. Others are refused, and so are tunnels (CONNECT). */
export function onUpgrade(
  server: FastifyInstance,
  handle: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
): void {
  server.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (withoutTrailingSlash(request.url ?? '/').split('?')[0] === '/graphql') handle(request, socket, head);
    else refuseUpgrade(request, socket, new GatewayError('NOT_FOUND'));
  });
  server.server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    refuseUpgrade(request, socket, new GatewayError('METHOD_NOT_ALLOWED'));
  });
}
