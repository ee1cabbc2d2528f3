// HTTP client that reads documents from addresses that are not ours: feeds of rates, merchants' logos.

import { Agent, request, type Dispatcher } from 'undici';
import { readWebhookUrl } from '../values/internet/webhook-url.ts';
import { ConnectError, createPinnedConnector, type Resolver } from './connector.ts';
import { createGuard } from './guard.ts';
import { safeText } from './response-reader.ts';

export interface GetClientOptions {
  /** Whether to allow non-public addresses and plain http; otherwise https only. */
  readonly allowPrivate: boolean;
  /** Covers everything from the DNS lookup to the end of the body. */
  readonly deadlineMs: number;
  /** A longer body is a failure. */
  readonly maxBytes: number;
  readonly resolver?: Resolver | undefined;
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
  /** Called for every refusal with the addresses, which the failure leaves out. */
  readonly onRefused?: (host: string, addresses: readonly string[]) => void;
}

/** What came of one question. A redirect is a response like others, and is not followed. */
export type GetResult =
  | { readonly kind: 'response'; readonly status: number; readonly retryAfter: string | null; readonly body: Buffer }
  | { readonly kind: 'failure'; readonly message: string };

export interface GetClient {
  /** Asks once. It does not reject: what went wrong is the result. */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<GetResult>;
  close(): Promise<void>;
}

const MAX_MESSAGE_LENGTH = 300;
/** Allowed bytes on the wire per byte of body: room for headers, and for small chunks. */
const WIRE_BYTES_PER_BODY_BYTE = 8;

/** Creates the client. Connections stay at the addresses that were checked. */
export function createGetClient(options: GetClientOptions): GetClient {
  const { allowPrivate, deadlineMs, maxBytes } = options;
  const agent = new Agent({
    connect: createPinnedConnector({
      ...createGuard({ allowPrivate, deadlineMs, resolver: options.resolver }),
      maxResponseBytes: maxBytes * WIRE_BYTES_PER_BODY_BYTE,
      ca: options.ca,
      ...(options.onRefused && { onRefused: options.onRefused }),
    }),
    connections: 2,
    allowH2: false,
    keepAliveTimeout: 1_000,
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
  });

  return {
    async get(text, headers = {}) {
      const url = readWebhookUrl(text, { allowPrivate });
      if (!(url instanceof URL)) return { kind: 'failure', message: url.message };
      if (url.protocol !== 'https:' && !allowPrivate) return { kind: 'failure', message: 'it is not an https URL' };
      try {
        return await download(agent, { url, headers, deadlineMs, maxBytes });
      } catch (error) {
        return { kind: 'failure', message: safeText(messageOf(error, deadlineMs), MAX_MESSAGE_LENGTH) };
      }
    },
    close: () => agent.destroy(),
  };
}

interface Download extends Pick<GetClientOptions, 'deadlineMs' | 'maxBytes'> {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/** Redirects are not followed, because they could lead to a forbidden address. Nothing is decompressed. */
async function download(
  dispatcher: Dispatcher,
  { url, headers: own, deadlineMs, maxBytes }: Download,
): Promise<GetResult> {
  const signal = AbortSignal.timeout(deadlineMs);
  const headers = { ...own, 'accept-encoding': 'identity' };
  const { statusCode: status, headers: answered, body } = await request(url, { dispatcher, headers, signal });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > maxBytes) return { kind: 'failure', message: `the body is larger than ${String(maxBytes)} bytes` };
    chunks.push(chunk);
  }
  const retryAfter = answered['retry-after'];
  return {
    ...{ kind: 'response', status, body: Buffer.concat(chunks) },
    retryAfter: (Array.isArray(retryAfter) ? retryAfter[0] : retryAfter) ?? null,
  };
}

function messageOf(error: unknown, deadlineMs: number): string {
  if (error instanceof ConnectError) return error.message;
  const { name, message } = error as Error;
  return name === 'TimeoutError' ? `no complete response within ${String(deadlineMs)} ms` : message;
}
