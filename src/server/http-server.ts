// The HTTP server: one Fastify instance for REST, GraphQL, the payment page, health and metrics.

import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import helmet from 'helmet';
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerOptions, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as afterReading, setTimeout as rest } from 'node:timers/promises';
import { GatewayError } from '../values/errors.ts';
import { answerTypeOf } from './graphql/accept.ts';
import { admitBrowsers } from './admission/cors.ts';
import type { Listeners } from './listen.ts';
import { admitPlainHttp } from './plain-http.ts';
import { PROBES, withoutTrailingSlash } from './paths.ts';
import { refuseUpgrade } from './upgrades.ts';
import { traceCalls } from './trace-calls.ts';
import { failure, fromFastify, isExpected, toPublicError } from './public-errors.ts';
import { formatGraphQLError } from './graphql/errors.ts';
import { GraphQLError } from 'graphql';
import { requestIdOf } from './admission/authenticate.ts';
import { BODY_LIMIT } from './admission/large-bodies.ts';
import type { OriginRules } from './admission/allowed-origins.ts';

/** Time limits of a caller, in milliseconds. */
export const PATIENCE = {
  head: 10_000,
  /** For the head and the body together. */
  request: 20_000,
  /** How often connections are looked at for the two above. */
  look: 1_000,
  /** An answer of which nothing was read for this long is dropped. */
  takesNothing: 30_000,
} as const;
export type Patience = { readonly [Name in keyof typeof PATIENCE]: number };
const HANG_UP_AFTER_MS = 1_000;
/** Answers tell about a merchant's money, and some hold a token or a secret: no cache may keep them. */
const IS_API = /^\/(api|graphql)(?![\w-])/;
/** One answered call, for the API log. */
export interface AnsweredCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface HttpServerOptions {
  readonly log: FastifyBaseLogger;
  readonly trustProxy: readonly string[];
  /** In live: every plain HTTP request is refused (1008), and HSTS tells browsers not to try. */
  readonly httpsOnly: boolean;
  /** What to serve HTTPS with; null for HTTP. */
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null;
  /** Which web pages may call, and under which host names; left out where there is no API. */
  readonly origins?: OriginRules;
  /** `PATIENCE` by default. */
  readonly patience?: Patience;
  /** Called after each answer. */
  readonly onAnswered: (call: AnsweredCall) => void;
  /** Not-found handler; throws. */
  readonly onUnknown?: (request: FastifyRequest, reply: FastifyReply) => Promise<never>;
}

const FIXED_OPTIONS = {
  // Our log lines name their request, and most requests log nothing.
  childLoggerFactory: (logger: FastifyBaseLogger) => logger,
  bodyLimit: BODY_LIMIT,
  onProtoPoisoning: 'ignore',
  onConstructorPoisoning: 'ignore',
  forceCloseConnections: 'idle',
  return503OnClosing: false, // A hook refuses in our own form.
  clientErrorHandler: answerMalformed,
  requestIdHeader: false,
  rewriteUrl: ({ url = '/' }: IncomingMessage) => withoutTrailingSlash(url),
  genReqId: (request: { headers: IncomingMessage['headers'] }) => requestIdOf(request.headers['x-request-id']),
  // No id is too long to be routed: callers' limits apply to such calls too. Node bounds the head of a request.
  routerOptions: { maxParamLength: Number.MAX_SAFE_INTEGER, ignoreTrailingSlash: false },
} as const;

/** Tells callers of plain HTTP on a port of HTTPS to use HTTPS. */
function answerPlainHttp(server: FastifyInstance, http: ServerOptions, patience: Patience): void {
  const refuse = (request: IncomingMessage, socket: Duplex) =>
    refuseUpgrade(request, socket, new GatewayError('HTTPS_REQUIRED'));
  const limits = { silentMs: patience.head, longestMs: patience.request };
  admitPlainHttp(server, { http, ...limits, refuseUpgrade: refuse, onMalformed: answerMalformed });
}

/** Makes the server with all that holds for every path. Routes are registered by their own files. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const { log, trustProxy, httpsOnly, tls, origins = null, onAnswered, onUnknown = refuseUnknown } = options;
  const { patience = PATIENCE } = options;
  const http = httpOptions(patience);
  const protective = protectiveHeaders(httpsOnly);
  let closing = false;
  /** Sets the headers that every answer has; returns why the request is refused, whatever its path. */
  const begin = (request: FastifyRequest, reply: FastifyReply): GatewayError | null => {
    void reply.headers(protective).header('X-Request-Id', request.id);
    if (IS_API.test(request.url)) void reply.header('Cache-Control', 'no-store');
    const refusal = refusalOf(options, closing, request);
    // HSTS may be sent over HTTPS alone (RFC 6797, section 7.2).
    if (refusal?.errorName === 'HTTPS_REQUIRED') void reply.removeHeader('Strict-Transport-Security');
    return refusal;
  };

  const server = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    requestTimeout: patience.request,
    ...FIXED_OPTIONS,
    // A path that cannot be decoded meets none of the hooks below.
    frameworkErrors: (error, request, reply) => {
      reply.raw.once('finish', () => onAnswered({ request, reply }));
      sendError(begin(request, reply) ?? error, request, reply);
    },
    // An upgrade to anything but web sockets is ignored and the request answered over HTTP. Node would refuse a missing
    // Host by itself, without a request id.
    ...(tls ? { https: { ...tls, ...http } } : { http }),
  }) as unknown as FastifyInstance;
  if (tls && httpsOnly) answerPlainHttp(server, http, patience);
  // An unknown `Expect` is ignored; Node would answer 417 by itself.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));

  server.decorateRequest('context', null);
  server.decorateRequest('bearer', undefined);
  server.decorateRequest('operation', null);
  server.decorateRequest('errorCode', null);
  server.decorateRequest('refusal', null);
  server.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  server.addHook('onRequest', (request, reply, done) => {
    const refusal = begin(request, reply);
    if (refusal) sendError(refusal, request, reply);
    else done();
  });
  server.addHook('onSend', (_request, { raw }, payload, done) => {
    raw.setTimeout(patience.takesNothing, () => raw.destroy());
    done(null, payload);
  });
  if (origins) admitBrowsers(server, origins);
  server.addHook('onResponse', (request, reply, done) => {
    onAnswered({ request, reply });
    done();
  });
  traceCalls(server);
  acceptJsonOnly(server);
  server.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  server.setNotFoundHandler(onUnknown);
  return server;
}

/** Why a request is refused before its path is looked at, or null. */
function refusalOf({ httpsOnly, origins }: HttpServerOptions, closing: boolean, request: FastifyRequest) {
  const isProbe = PROBES.has(request.url.split('?')[0] ?? '');
  if (httpsOnly && request.protocol !== 'https' && !isProbe) return new GatewayError('HTTPS_REQUIRED');
  if (closing) return new GatewayError('OVERLOADED', { retryAfterSeconds: 1 });
  if (isHostless(request)) return new GatewayError('MALFORMED_JSON', { message: NO_HOST });
  return isProbe ? null : (origins?.refusalOfCall(request.headers) ?? null);
}

/** The security headers by helmet. They are the same for every answer, so helmet is asked once. */
function protectiveHeaders(httpsOnly: boolean): Readonly<Record<string, string>> {
  const protect = helmet({
    contentSecurityPolicy: false,
    strictTransportSecurity: httpsOnly,
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
  const headers: Record<string, string> = {};
  const answer = {
    setHeader: (name: string, value: string) => void (headers[name.toLowerCase()] = value),
    removeHeader: () => undefined,
  };
  protect({} as IncomingMessage, answer as unknown as ServerResponse, (error) => {
    if (error !== undefined) throw error as Error;
  });
  return headers;
}

function shouldUpgradeCallback({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

const httpOptions = ({ head, look }: Patience) => ({
  requireHostHeader: false,
  shouldUpgradeCallback,
  headersTimeout: head,
  connectionsCheckingInterval: look,
});

const refuseUnknown = (): Promise<never> => Promise.reject(new GatewayError('NOT_FOUND'));

const NO_HOST = 'An HTTP/1.1 request has a Host header';
const isHostless = ({ raw }: FastifyRequest) => raw.httpVersion === '1.1' && raw.headers.host === undefined;

/** Answers requests that are not valid HTTP, or whose head is too large or too slow, on the bare socket. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null };
  // Our answer would be mixed into the one under way.
  if (error.code === 'ECONNRESET' || !socket.writable || answer?.headersSent) return void socket.destroy();
  const line = MALFORMED[error.code ?? ''] ?? '400 Bad Request';
  answerBare(socket, line, new GatewayError('MALFORMED_JSON', { message: 'Not an HTTP request' }));
}

/** Writes the failure envelope on a socket that has no reply object. */
function answerBare(socket: Duplex, line: string, error: GatewayError, requestId = requestIdOf(undefined)): void {
  const body = JSON.stringify(failure(toPublicError(error)));
  const head = [
    `HTTP/1.1 ${line}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // A client that keeps sending would never close.
  setTimeout(() => socket.destroy(), HANG_UP_AFTER_MS).unref();
}

const MALFORMED: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/**
 * Takes JSON and nothing else; an empty body counts as no body, for calls whose every field is optional. JSON is UTF-8
 * (RFC 8259, section 8.1): what is not would be read with other characters than were sent.
 */
function acceptJsonOnly(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('ignore', 'ignore');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else if (!isUtf8(body)) done(new GatewayError('MALFORMED_JSON', { message: 'The body is not UTF-8' }));
    else void parse(request, body.toString(), done);
  });
}

/** Answers an error in the form of its path: GraphQL errors, or the envelope. */
function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  // A body that cannot be read comes after a bearer that is no good.
  const error = request.refusal ?? fromFastify(thrown);
  if (!isExpected(error)) request.log.error({ err: error, requestId: request.id }, 'a request failed');
  const shown = toPublicError(error);
  request.errorCode = shown.code;
  if (shown.retryAfterSeconds !== undefined) void reply.header('Retry-After', shown.retryAfterSeconds);
  if (shown.status === 401) void reply.header('WWW-Authenticate', 'Bearer');
  void reply.header('X-Request-Id', request.id).code(shown.status);
  if (/^\/graphql(\/stream)?(\?|$)/.test(request.url)) {
    const wrapped = new GraphQLError('', { originalError: error instanceof Error ? error : new Error(String(error)) });
    void reply.type(`${answerTypeOf(request.headers.accept ?? '*/*') ?? 'application/json'}; charset=utf-8`);
    void reply.send(JSON.stringify({ errors: [formatGraphQLError(wrapped, request.id)] }));
  } else {
    void reply.type('application/json; charset=utf-8').send(JSON.stringify(failure(shown)));
  }
}

const SWEEP_EVERY_MS = 25;
/**
 * Consecutive looks without any data: a fifth of a second, longer if the machine stood still meanwhile.
 */
const QUIET_LOOKS = 8;
const LONGEST_GRACE_MS = 2_000;

/**
 * Closes the server so that every request that was sent is answered. For a moment, longer at a busy time, answers ask
 * clients to hang up while requests that are still on their way are read; then nothing more is taken, and connections
 * are closed as they fall idle, which `close` by itself does only once.
 */
export async function closeGracefully(server: FastifyInstance, listeners: Listeners | null = null): Promise<void> {
  const until = performance.now() + LONGEST_GRACE_MS;
  let quietLooks = 0;
  endConnections(server);
  server.server.on('request', () => (quietLooks = 0));
  for (let looks = 1; quietLooks < QUIET_LOOKS && (looks <= QUIET_LOOKS || performance.now() < until); looks += 1) {
    await rest(SWEEP_EVERY_MS);
    // Sockets are read between the two, so data that came during a pause counts.
    await afterReading();
    quietLooks += 1;
  }
  const sweep = setInterval(() => server.server.closeIdleConnections(), SWEEP_EVERY_MS);
  await Promise.all([server.close(), listeners?.close()]).finally(() => clearInterval(sweep));
}

/** From now on each answer asks its client to hang up, and is the last on its connection. */
export function endConnections(server: FastifyInstance): void {
  server.server.prependListener('request', (_request, response: ServerResponse) => (response.shouldKeepAlive = false));
}
