// The HTTP client for webhooks: it posts to URLs that strangers chose, and whatever they answer is an outcome, not an error.

import { performance } from 'node:perf_hooks';
import { Agent, type Dispatcher } from 'undici';
import { isPublicAddress } from '../../values/internet/ip-range.ts';
import { createKnownTargets, type Target } from './target-cache.ts';
import { createDnsResolver, systemResolver } from './dns.ts';
import { ConnectError, createPinnedConnector, type ConnectFailure, type Resolver } from './connector.ts';
import { createResponseReader, safeText, type ResponseRead } from './response-reader.ts';

export interface EgressOptions {
  /** Whether loopback, private and other non-public addresses may be sent to (`WEBHOOK_ALLOW_PRIVATE`). */
  readonly allowPrivate: boolean;
  /** From the look-up to the end of the response body (contract, section 7). */
  readonly deadlineMs?: number;
  /** How much of a response body is read; the rest is abandoned and the status stands. */
  readonly maxResponseBytes?: number;
  /** Sockets to one origin, which different merchants may share. */
  readonly socketsPerOrigin?: number;
  /** PEM certificates to trust in place of the system's, for receivers behind a private authority. */
  readonly ca?: string;
  /** The DNS unless given; where private addresses are allowed, the system's, which knows the private names as well. */
  readonly resolver?: Resolver;
  readonly log?: { warn(fields: object, message: string): void };
}

export interface EgressRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Abandons the attempt: `post` then rejects with the signal's reason, since the receiver is not to blame. */
  readonly signal?: AbortSignal;
}

/** What came of one attempt. Durations are whole milliseconds of a monotonic clock. Texts are fit for PostgreSQL. */
export type EgressResult =
  | ({ readonly kind: 'response'; readonly durationMs: number } & ResponseRead)
  | {
      readonly kind: 'failure';
      readonly reason: ConnectFailure;
      readonly message: string;
      readonly durationMs: number;
    };

export interface Egress {
  /** Posts once. Rejects only for what the caller does: an ill-formed header, an aborted signal, use after `close`. */
  post(request: EgressRequest): Promise<EgressResult>;
  /** Waits for the requests in flight (bounded by their deadline) and closes all sockets. */
  close(): Promise<void>;
}

/** Of a post, unless told otherwise. */
export const DEADLINE_MS = 5_000;

/** All bytes of a response against those of its body: room for a head, and for chunks as small as one byte. */
const WIRE_BYTES_PER_BODY_BYTE = 8;

/** Creates the client. It keeps connections open between posts; a kept one stays at the address that was judged. */
export function createEgress(options: EgressOptions): Egress {
  const { allowPrivate, deadlineMs = DEADLINE_MS, maxResponseBytes = 65_536, log } = options;
  const agent = new Agent({
    connect: createPinnedConnector({
      isAllowed: allowPrivate ? () => true : isPublicAddress,
      resolve: options.resolver ?? (allowPrivate ? systemResolver : createDnsResolver({ timeoutMs: deadlineMs })),
      timeoutMs: deadlineMs,
      maxResponseBytes: maxResponseBytes * WIRE_BYTES_PER_BODY_BYTE,
      ca: options.ca,
      onRefused: (host, addresses) => log?.warn({ host, addresses }, 'webhook refused: not a public address'),
    }),
    connections: options.socketsPerOrigin ?? 256,
    allowH2: false, // Without this a pool probes for HTTP/2 with a single socket first.
    pipelining: 1,
    headersTimeout: 0, // Our one deadline replaces both: undici's measure gaps, which a slow drip never leaves.
    bodyTimeout: 0,
    keepAliveMaxTimeout: 15_000, // A receiver's own hint may not hold a socket for longer.
  });
  const targetOf = createKnownTargets({ allowPrivate });
  let closing: Promise<void> | undefined;
  return {
    async post(request) {
      if (closing) throw new Error('egress is closed');
      assertHeaders(request.headers);
      request.signal?.throwIfAborted();
      // Judged once more: the setting may have changed since the URL was stored.
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

function exchange(agent: Agent, target: Target, request: EgressRequest, limits: Limits): Promise<EgressResult> {
  const startedAt = performance.now();
  const durationMs = (): number => Math.round(performance.now() - startedAt);
  const { signal } = request;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let settled = false;
    const settle = (): boolean => {
      if (settled) return false;
      settled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      return true;
    };
    const fail = (reason: ConnectFailure, message: string): void => {
      if (!settle()) return;
      resolve({ kind: 'failure', reason, message: safeText(message, MAX_MESSAGE_LENGTH), durationMs: durationMs() });
    };
    const onDeadline = (): void => {
      if (settled) return;
      fail('timeout', `no complete answer within ${String(limits.deadlineMs)} ms`);
      controller?.abort(abandoned());
    };
    const onAbort = (): void => {
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the caller chose the reason
      if (settle()) reject(signal?.reason);
      controller?.abort(abandoned());
    };
    // After one more look at what has come: a process that stood still has not read its answer.
    const timer = setTimeout(() => setImmediate(onDeadline), limits.deadlineMs);
    signal?.addEventListener('abort', onAbort, { once: true });

    const reader = createResponseReader(limits.maxResponseBytes, {
      onStart(started) {
        controller = started;
        // It waited for a socket beyond its deadline: do not send it now.
        if (settled) started.abort(abandoned());
      },
      onRead(response) {
        if (settle()) resolve({ kind: 'response', ...response, durationMs: durationMs() });
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

function dispatchOptions({ origin, path }: Target, { headers, body }: EgressRequest): Dispatcher.DispatchOptions {
  return {
    origin,
    path,
    method: 'POST',
    // Asks for no compression, and nothing here would undo it: a gzip bomb stays as small as it was sent.
    headers: { ...headers, 'Accept-Encoding': 'identity' },
    body,
  };
}

/** Headers are ours, so a bad one is a fault of the program: `host` would change the TLS name, line breaks inject. */
function assertHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || name.toLowerCase() === 'host')
      throw new TypeError(`Bad header: ${name}`);
    if (/[^\t\x20-\x7e]/.test(value)) throw new TypeError(`Bad value of header ${name}`);
  }
}
