// GraphQL over web sockets: graphql-ws over ws, on the upgrades of the HTTP server, with our limits.

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { handleProtocols, makeServer, type Server } from 'graphql-ws';
import type { Logger } from 'pino';
import { WebSocketServer, type WebSocket } from 'ws';
import { GatewayError } from '../../../values/errors.ts';
import { canonicalIp } from '../../../values/internet/ip-range.ts';
import { toPublicError } from '../../public-errors.ts';
import { refuseUpgrade } from '../../upgrades.ts';
import { rateLimitHeaders, requestIdOf } from '../../admission/authenticate.ts';
import type { ConnectionRegistry, Place } from '../connections/registry.ts';
import { countedAs, type RateLimits, type RateLimitState } from '../../admission/rate-limit.ts';
import type { SocketCall } from './socket-calls.ts';
import { createSocketHooks, type SocketClient, type SocketState } from './hooks.ts';
import { sharerOf } from '../../admission/shared-memory.ts';
import { CLOSE_CODES } from '../connections/limits.ts';
import { spread } from '../connections/spread.ts';
import { engineCalls, type ConnectionEngine } from '../connections/engine-calls.ts';
import { createSocketPings } from './pings.ts';
import { createSocketSends, type SocketSends } from './sends.ts';

export interface WebSocketOptions extends ConnectionEngine {
  readonly clients: ConnectionRegistry;
  /** Why a web page may not open a socket; null if it may, or if the client is not a page. */
  readonly refusalOfPage: (headers: IncomingMessage['headers']) => GatewayError | null;
  /** Counts upgrades by address, and operations by key or address. */
  readonly limits?: RateLimits;
  /** Who asks for an upgrade; throws 1008 and the like. Where proxies are trusted only the HTTP server knows. */
  readonly clientOf?: (request: IncomingMessage) => SocketClient;
  /** Called when an operation has ended. */
  readonly onAnswered?: (call: SocketCall) => void;
  readonly log: Logger;
}

export interface GatewayWebSockets {
  /** Takes an upgrade of the HTTP server. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Open sockets; for metrics. */
  size(): number;
  /** Closes the open sockets with 1012, spread over this time so that their clients do not all come back at once. */
  drain(ms: number): void;
  /** Closes every socket with 1001, after two seconds whether or not its client agrees, and takes no more. */
  close(): Promise<void>;
}

const CLOSE_PATIENCE_MS = 2_000;
const REFUSED = 'an upgrade was refused';

/** Makes the web-socket server of the API. */
export function createWebSocketServer(options: WebSocketOptions): GatewayWebSockets {
  const { clients, log, clientOf = directClient, limits = null, onAnswered = () => undefined } = options;
  const { socketLimits } = clients;
  const { messageBytes: maxPayload } = socketLimits;
  const wss = new WebSocketServer({ noServer: true, maxPayload, handleProtocols, autoPong: false });
  const hooks = createSocketHooks({ ...options, limits, onAnswered });
  const server = makeServer({
    ...hooks,
    ...engineCalls(options),
    connectionInitWaitTimeout: socketLimits.initMs,
  });
  const sends = createSocketSends(clients.unread, socketLimits, closeSocket);
  const pings = createSocketPings({
    everyMs: socketLimits.pingMs,
    mostOfClient: socketLimits.pingsOfClient,
    onPing: sends.pong,
    onTooMany: (socket) => closeSocket(socket, CLOSE_CODES.tooMany, 'Too many pings'),
  });
  const cleanups = new Set<Promise<void>>();
  let closing = false;

  // A malformed upgrade: without a key, of another version, or by another method.
  wss.on('wsClientError', ({ message }, socket, request) => {
    refuseUpgrade(request, socket, new GatewayError('MALFORMED_JSON', { message: `Not a web socket: ${message}` }));
  });

  const askedBy = new WeakMap<IncomingMessage, SocketClient>();
  const standing = new WeakMap<IncomingMessage, RateLimitState>();
  const limitsOf = (request: IncomingMessage) => {
    const state = standing.get(request);
    return state ? rateLimitHeaders(state) : {};
  };
  wss.on('headers', (headers, request) => {
    headers.push(`X-Request-Id: ${askedBy.get(request)?.requestId ?? ''}`);
    for (const [name, value] of Object.entries(limitsOf(request))) headers.push(`${name}: ${value}`);
  });

  async function admit(request: IncomingMessage, socket: Duplex): Promise<Admitted> {
    if (closing) throw new GatewayError('OVERLOADED', { retryAfterSeconds: 1 });
    const refusal = options.refusalOfPage(request.headers);
    if (refusal) throw refusal;
    const client = clientOf(request);
    askedBy.set(request, client);
    // Before the upgrade, so that a caller with too many sockets gets a status instead of a socket.
    const place = clients.enter(client.ip);
    socket.once('close', place.leave);
    if (socket.destroyed) place.leave();
    await limits?.count(countedAs(null, client.ip), (state) => standing.set(request, state));
    return { client, place };
  }

  function open(socket: WebSocket, { client, place }: Admitted): void {
    const close = (code: number, reason: string) => closeSocket(socket, code, reason);
    const state: SocketState = { client, place, session: null, byCookie: false, closed: false, close };
    const countPing = () => pings.count(socket);
    const cleanup = connect({ server, sends, countPing, log }, socket, state).finally(() => {
      place.leave();
      cleanups.delete(cleanup);
    });
    cleanups.add(cleanup);
    pings.add(socket);
    sends.add(socket, () => sharerOf(state.session?.caller(), client.ip));
    if (closing) state.close(CLOSE_CODES.goingAway, 'Going away');
  }

  return {
    size: () => wss.clients.size,
    handleUpgrade(request, socket, head) {
      const ignore = () => undefined;
      socket.on('error', ignore);
      admit(request, socket).then(
        (admitted) => {
          socket.off('error', ignore);
          wss.handleUpgrade(request, socket, head, (webSocket) => open(webSocket, admitted));
        },
        (error: unknown) => {
          const { status } = toPublicError(error);
          if (status >= 500) log.warn({ err: error, requestId: requestIdOf(request.headers['x-request-id']) }, REFUSED);
          refuseUpgrade(request, socket, error, limitsOf(request));
        },
      );
    },
    drain: (ms) => spread([...wss.clients], ms, (socket) => closeSocket(socket, CLOSE_CODES.restart, 'Connect again')),
    async close() {
      closing = true;
      pings.stop();
      for (const socket of wss.clients) closeSocket(socket, CLOSE_CODES.goingAway, 'Going away');
      while (cleanups.size > 0) await Promise.all(cleanups);
      wss.close();
    },
  };
}

/** The caller of a granted upgrade, and the place of their socket. */
interface Admitted {
  readonly client: SocketClient;
  readonly place: Place;
}

interface ConnectParts {
  readonly server: Server<SocketState>;
  readonly sends: SocketSends;
  /** False when there were too many, and the socket is closed. */
  readonly countPing: () => boolean;
  readonly log: Logger;
}

/** Connects a socket to graphql-ws. Resolves when it is closed and all its operations are cleaned up. */
async function connect(
  { server, sends, countPing, log }: ConnectParts,
  socket: WebSocket,
  state: SocketState,
): Promise<void> {
  const { requestId } = state.client;
  const closed = server.opened(
    {
      protocol: socket.protocol,
      send: (data) => sends.send(socket, data),
      // Pings of the graphql-ws protocol, which are messages; their payload is returned in the answer.
      onPing: (payload) => {
        if (countPing()) return sends.send(socket, JSON.stringify({ type: 'pong', ...(payload && { payload }) }));
      },
      onPong: () => void countPing(),
      close: (code, reason) => state.close(code ?? CLOSE_CODES.internal, reason ?? ''),
      onMessage: (handle) => {
        socket.on('message', (data: Buffer) => {
          if (socket.readyState !== socket.OPEN) return;
          handle(String(data)).catch((error: unknown) => {
            if (isServersMessage(error)) return state.close(CLOSE_CODES.badRequest, 'Invalid message received');
            log.warn({ err: error, requestId }, 'a message of a socket could not be handled');
            state.close(CLOSE_CODES.internal, 'Internal error');
          });
        });
      },
    },
    state,
  );
  // Errors such as a message that is too large; ws closes the socket itself.
  socket.on('error', (error) => log.debug({ err: error, requestId }, 'a socket failed'));
  const [code, reason] = await new Promise<[number, Buffer]>((resolve) =>
    socket.once('close', (...ending) => resolve(ending)),
  );
  await closed(code, String(reason)).catch((error: unknown) => {
    log.warn({ err: error, requestId }, 'a closed socket could not be cleaned up');
  });
}

/** A client that sends what only servers may send broke the protocol; graphql-ws takes it for an internal failure. */
function isServersMessage(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Unexpected message of type ');
}

/** Closes with a reason, and terminates if the client does not answer. A closing socket keeps its first reason. */
function closeSocket(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState !== socket.OPEN) return;
  socket.close(code, reason);
  const timer = setTimeout(() => socket.terminate(), CLOSE_PATIENCE_MS);
  timer.unref();
  socket.once('close', () => clearTimeout(timer));
}

function directClient(request: IncomingMessage): SocketClient {
  const address = request.socket.remoteAddress ?? '';
  const requestId = requestIdOf(request.headers['x-request-id']);
  return { ip: canonicalIp(address) ?? address, requestId, sessionToken: null };
}
