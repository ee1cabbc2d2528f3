// /graphql/stream on the product's own HTTP server, with the sockets beside it, and a client that reads Server-Sent
// Events as they come.

import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAccess } from '../../../../src/access/caller.ts';
import type { Engine } from '../../../../src/graphql/engine.ts';
import { registerEventStreams, type EventStreams } from '../../../../src/server/graphql/sse/routes.ts';
import { closeGracefully, createHttpServer } from '../../../../src/server/http-server.ts';
import { onUpgrade } from '../../../../src/server/upgrades.ts';
import { createOperatorAccess } from '../../../../src/access/operators.ts';
import { createIdentify } from '../../../../src/server/admission/authenticate.ts';
import { createConnectionRegistry } from '../../../../src/server/graphql/connections/registry.ts';
import { createRateLimits, type RateLimitOptions } from '../../../../src/server/admission/rate-limit.ts';
import type { SocketLimits } from '../../../../src/server/graphql/connections/limits.ts';
import { createWebSocketServer } from '../../../../src/server/graphql/ws/server.ts';
import { deriveSecrets } from '../../../../src/values/secrets/keys.ts';
import { log } from '../../../dispatch/subscriptions/setup.fixture.ts';
import { PAGES, PATIENT_LIMITS, type Json, type SocketFixture } from '../ws/setup.fixture.ts';

export interface StreamServer {
  /** The URL of /graphql/stream. */
  readonly url: string;
  /** The URL of the sockets on the same server. */
  readonly socketUrl: string;
  readonly streams: EventStreams;
  stop(): Promise<void>;
}

interface ServeOptions {
  readonly socketLimits?: Partial<SocketLimits>;
  readonly rateLimit?: RateLimitOptions;
  readonly httpsOnly?: boolean;
  /** Replaces the engine's `execute`. */
  readonly execute?: Engine['execute'];
}

const UNLIMITED = { perSecond: 0, burst: 0, authPerMinute: 0 };

/** Starts a server with streams and sockets on the fixture's schema. */
export async function serveStreams(
  { engine, db, clock }: SocketFixture,
  { socketLimits = {}, rateLimit = UNLIMITED, httpsOnly = false, execute = engine.execute }: ServeOptions = {},
): Promise<StreamServer> {
  const secrets = deriveSecrets('a secret of at least thirty-two characters');
  const access = createAccess({ em: db.em, clock, secrets, environment: 'sandbox' });
  const clients = createConnectionRegistry({
    access,
    clock,
    log,
    socketLimits: { ...PATIENT_LIMITS, ...socketLimits },
  });
  const limits = createRateLimits(rateLimit);
  const operators = createOperatorAccess({ em: db.em, clock, secrets, addresses: null, onSessionUse: () => undefined });
  const identify = createIdentify({ access, operators, limits, ownOrigin: 'http://localhost' });
  const server = createHttpServer({
    log,
    trustProxy: [],
    httpsOnly,
    tls: null,
    onAnswered: () => undefined,
  });
  const inTurn = <Result>(_context: unknown, work: () => Promise<Result>) => work();
  const operations = { engine: { ...engine, execute }, inTurn, clients, log };
  const streams = registerEventStreams(server, { ...operations, identify });
  const sockets = createWebSocketServer({ ...operations, limits, refusalOfPage: PAGES.refusalOfSocket });
  onUpgrade(server, sockets.handleUpgrade);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const host = `127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/graphql/stream`,
    socketUrl: `ws://${host}/graphql`,
    streams,
    async stop() {
      await Promise.all([streams.close(), sockets.close()]);
      clients.stop();
      await closeGracefully(server);
    },
  };
}

export interface StreamClient {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The JSON of an answer that is not a stream. */
  readonly body: Json;
  /** The next event's data; null for `complete`. Waits for it, and throws when the stream ends without one. */
  next(): Promise<Json>;
  /** The number of comments received, which keep the connection alive. */
  comments(): number;
  /** Whether the connection has ended. */
  ended(): boolean;
  pause(): void;
  resume(): void;
  close(): void;
}

interface Ask {
  readonly query: string;
  readonly variables?: Json;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: 'GET' | 'POST';
}

/** Sends an operation and reads what comes. */
export async function openStream(url: string, ask: Ask): Promise<StreamClient> {
  const { query, variables, token, headers = {}, method = 'POST' } = ask;
  const search = new URLSearchParams({ query, variables: JSON.stringify(variables ?? {}) });
  const outgoing = request(method === 'GET' ? `${url}?${search.toString()}` : url, {
    method,
    agent: false,
    headers: {
      accept: 'text/event-stream',
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  outgoing.end(method === 'POST' ? JSON.stringify({ query, variables }) : undefined);
  const incoming = await answered;
  return incoming.headers['content-type']?.startsWith('text/event-stream')
    ? readEvents(outgoing, incoming)
    : readJson(incoming);
}

async function readJson(incoming: IncomingMessage): Promise<StreamClient> {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  const none = () => undefined;
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body: text === '' ? null : JSON.parse(text),
    next: () => Promise.reject(new Error(`No stream: ${incoming.statusCode} ${text}`)),
    comments: () => 0,
    ended: () => true,
    pause: none,
    resume: none,
    close: none,
  };
}

function readEvents(outgoing: ClientRequest, incoming: IncomingMessage): StreamClient {
  const waiting: Json[] = [];
  let comments = 0;
  let rest = '';
  let last = '';
  let ended = false;
  let wake: () => void = () => undefined;
  const take = (block: string) => {
    const data = /^event: (?:next|complete)\ndata:(.*)$/s.exec(block)?.[1];
    if (data === undefined) comments += 1;
    else waiting.push(data.trim() === '' ? null : JSON.parse(data));
  };
  incoming.setEncoding('utf8');
  incoming.on('data', (chunk: string) => {
    // An event of megabytes comes in many chunks: it is parsed once, when its end has come.
    const isEnd = (last + chunk).includes('\n\n');
    last = chunk.slice(-1);
    rest += chunk;
    if (!isEnd) return;
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    blocks.forEach(take);
    wake();
  });
  incoming.on('error', () => undefined);
  outgoing.on('error', () => undefined);
  incoming.once('close', () => {
    ended = true;
    wake();
  });
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body: null,
    async next() {
      while (waiting.length === 0) {
        if (ended) throw new Error('The stream is at its end');
        await new Promise<void>((resolve) => (wake = resolve));
      }
      return waiting.shift();
    },
    comments: () => comments,
    ended: () => ended,
    pause: () => void incoming.socket.pause(),
    resume: () => void incoming.socket.resume(),
    close: () => void outgoing.destroy(),
  };
}
