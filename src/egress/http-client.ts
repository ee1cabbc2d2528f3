// HTTP client for webhooks: posts to untrusted URLs, and returns any response or failure as a result instead of
// throwing.

import { performance } from 'node:perf_hooks';
import { Agent, type Dispatcher } from 'undici';
import { createTargetCache, type Target } from './target-cache.ts';
import { ConnectError, createPinnedConnector, type ConnectFailure, type Resolver } from './connector.ts';
import { createGuard } from './guard.ts';
import { createResponseReader, safeText, type ResponseRead } from './response-reader.ts';

export interface HttpClientOptions {
  /** Whether to allow loopback, private and other non-public addresses (`WEBHOOK_ALLOW_PRIVATE`). */
  readonly allowPrivate: boolean;
  /** Covers everything from the DNS lookup to the end of the response body (contract, section 7). */
  readonly deadlineMs?: number;
  /** Limit on the response body; the rest is not read, and the status still counts. */
  readonly maxResponseBytes?: number;
  /** Limit on sockets to one origin, which several merchants may share. */
  readonly socketsPerOrigin?: number;
  /** PEM certificates to trust instead of the system's, for receivers with a private certificate authority. */
  readonly ca?: string;
  /**
   * Default: plain DNS, or the system's resolver where private addresses are allowed, because it knows private names
   * too.
   */
  readonly resolver?: Resolver;
  readonly log?: { warn(fields: object, message: string): void };
}

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Aborts the attempt: `post` rejects with the signal's reason, because the receiver is not at fault. */
  readonly signal?: AbortSignal;
}

/**
 * The result of one attempt. Durations are whole milliseconds of a monotonic clock. Texts can be stored in PostgreSQL.
 */
export type PostResult =
  | ({ readonly kind: 'response'; readonly durationMs: number } & ResponseRead)
  | {
      readonly kind: 'failure';
      readonly reason: ConnectFailure;
      readonly message: string;
      readonly durationMs: number;
    };

export interface HttpClient {
  /** Posts once. Rejects only for the caller's errors: a malformed header, an aborted signal, use after `close`. */
  post(request: PostRequest): Promise<PostResult>;
  /** Waits for the requests in flight (at most their deadline) and closes all sockets. */
  close(): Promise<void>;
}

/** Default deadline of a post. */
export const DEADLINE_MS = 5_000;

/** Allowed bytes on the wire per byte of body: room for headers, and for chunks of one byte. */
const WIRE_BYTES_PER_BODY_BYTE = 8;

/** Creates the client. Connections are kept open between posts and stay at the address that was checked. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { allowPrivate, deadlineMs = DEADLINE_MS, maxResponseBytes = 65_536, log } = options;
  const agent = new Agent({
    connect: createPinnedConnector({
      ...createGuard({ allowPrivate, deadlineMs, resolver: options.resolver }),
      maxResponseBytes: maxResponseBytes * WIRE_BYTES_PER_BODY_BYTE,
      ca: options.ca,
      onRefused: (host, addresses) => log?.warn({ host, addresses }, 'webhook refused: not a public address'),
    }),
    connections: options.socketsPerOrigin ?? 256,
    allowH2: false, // Otherwise a pool first probes for HTTP/2 with a single socket.
    pipelining: 1,
    headersTimeout: 0, // Our deadline replaces both: undici's measure gaps only, so a slow drip never ends.
    bodyTimeout: 0,
    keepAliveMaxTimeout: 15_000, // Caps the receiver's own keep-alive hint.
  });
  const targetOf = createTargetCache({ allowPrivate });
  let closing: Promise<void> | undefined;
  return {
    async post(request) {
      if (closing) throw new Error('the HTTP client is closed');
      assertHeaders(request.headers);
      request.signal?.throwIfAborted();
      // Checked again, because the setting may have changed since the URL was stored.
      const target = targetOf(request.url);
      if ('ok' in target) return { kind: 'failure', reason: 'refused-address', message: target.message, durationMs: 0 };
      return exchange(agent, target, request, { deadlineMs, maxResponseBytes });
    },
    close: () => (closing ??= agent.close()),
  };
}

const MAX_MESSAGE_LENGTH = 300;

interface Limits {
  readonly deadlineMs: number;
  readonly maxResponseBytes: number;
}

function exchange(agent: Agent, target: Target, request: PostRequest, limits: Limits): Promise<PostResult> {
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  const { signal } = request;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let finished = false;
    const finish = (): boolean => {
      if (finished) return false;
      finished = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      return true;
    };
    const fail = (reason: ConnectFailure, message: string): void => {
      if (!finish()) return;
      resolve({ kind: 'failure', reason, message: safeText(message, MAX_MESSAGE_LENGTH), durationMs: durationMs() });
    };
    const onDeadline = (): void => {
      if (finished) return;
      fail('timeout', `no complete response within ${String(limits.deadlineMs)} ms`);
      controller?.abort(abandoned());
    };
    const onAbort = (): void => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the caller chose the reason
      if (finish()) reject(signal?.reason);
      controller?.abort(abandoned());
    };
    // Read pending data first: a process that was suspended has not read its response yet.
    const timer = setTimeout(() => setImmediate(onDeadline), limits.deadlineMs);
    signal?.addEventListener('abort', onAbort, { once: true });

    const reader = createResponseReader(limits.maxResponseBytes, {
      onStart(started) {
        controller = started;
        // The deadline passed while it waited for a socket: do not send it now.
        if (finished) started.abort(abandoned());
      },
      onRead(response) {
        if (finish()) resolve({ kind: 'response', ...response, durationMs: durationMs() });
      },
      onError(error) {
        fail(error instanceof ConnectError ? error.reason : 'network', error.message || 'the connection failed');
      },
    });
    agent.dispatch(dispatchOptions(target, request), reader);
  });
}

function abandoned(): Error {
  return new Error('the exchange was abandoned');
}

function dispatchOptions({ origin, path }: Target, { headers, body }: PostRequest): Dispatcher.DispatchOptions {
  return {
    origin,
    path,
    method: 'POST',
    // Responses are never decompressed here, so a gzip bomb stays small.
    headers: { ...headers, 'Accept-Encoding': 'identity' },
    body,
  };
}

/**
 * Headers come from our own code, so a bad one is a bug: `host` would change the TLS name, line breaks would inject
 * headers.
 */
function assertHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || name.toLowerCase() === 'host')
      throw new TypeError(`Bad header: ${name}`);
    if (/[^\t\x20-\x7e]/.test(value)) throw new TypeError(`Bad value of header ${name}`);
  }
}
