// Asks the provider of identities. The operator has named its issuer, so that may be in an internal network; where its
// own documents lead to other hosts, those are strangers, and have to be public ones.

import { Agent, request, type Dispatcher } from 'undici';
import { readWebhookUrl } from '../values/internet/webhook-url.ts';
import { createPinnedConnector, type Resolver } from './connector.ts';
import { createGuard } from './guard.ts';

export interface ProviderFetchOptions {
  readonly issuer: URL;
  /** Covers one question, from the DNS lookup to the end of the body. */
  readonly deadlineMs: number;
  /** A longer body is a failure. */
  readonly maxBytes: number;
  readonly resolver?: Resolver | undefined;
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string | undefined;
}

/** A question: what a client of OpenID Connect hands to `fetch`. */
export interface Asked {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The provider did not answer, or not in the bounds of an answer. The message names no secret. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
}

export interface ProviderFetch {
  /** Asks once; redirects are answers like others. Rejects with `ProviderUnreachable`. */
  fetch(url: string, asked: Asked): Promise<Response>;
  close(): Promise<void>;
}

/** Allowed bytes on the wire per byte of body: room for headers, and for small chunks. */
const WIRE_BYTES_PER_BODY_BYTE = 8;
/** Answers that have no body, which `Response` refuses to be given one with. */
const BODILESS = new Set([204, 205, 304]);

/** Creates the client. Connections stay at the addresses that were checked. */
export function createProviderFetch(options: ProviderFetchOptions): ProviderFetch {
  const { issuer, deadlineMs } = options;
  const [own, others] = [agentOf(options, true), agentOf(options, false)];
  return {
    async fetch(text, asked) {
      const isOwn = URL.canParse(text) && new URL(text).origin === issuer.origin;
      const url = readWebhookUrl(text, { allowPrivate: isOwn });
      if (!(url instanceof URL)) throw new ProviderUnreachable(`${text}: ${url.message}`);
      if (url.protocol !== 'https:' && !isOwn) throw new ProviderUnreachable(`${text}: it is not an https URL`);
      try {
        return await exchange(url, { ...options, asked, dispatcher: isOwn ? own : others });
      } catch (error) {
        const { name, message } = error as Error;
        const said = name === 'TimeoutError' ? `no complete response within ${String(deadlineMs)} ms` : message;
        throw new ProviderUnreachable(`${url.origin}: ${said}`, { cause: error });
      }
    },
    close: async () => void (await Promise.all([own.destroy(), others.destroy()])),
  };
}

const agentOf = ({ deadlineMs, maxBytes, resolver, ca }: ProviderFetchOptions, allowPrivate: boolean) =>
  new Agent({
    connect: createPinnedConnector({
      ...createGuard({ allowPrivate, deadlineMs, resolver }),
      maxResponseBytes: maxBytes * WIRE_BYTES_PER_BODY_BYTE,
      ca,
    }),
    connections: 20,
    allowH2: false,
    keepAliveTimeout: 1_000,
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
  });

interface Exchange extends Pick<ProviderFetchOptions, 'deadlineMs' | 'maxBytes'> {
  readonly asked: Asked;
  readonly dispatcher: Dispatcher;
}

async function exchange(url: URL, { asked, dispatcher, deadlineMs, maxBytes }: Exchange): Promise<Response> {
  const { statusCode, headers, body } = await request(url, {
    ...{ dispatcher, signal: AbortSignal.timeout(deadlineMs) },
    method: asked.method,
    headers: { ...asked.headers, 'accept-encoding': 'identity' },
    body: asked.body == null ? null : String(asked.body as URLSearchParams | string),
  });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop closes the connection.
    if (size > maxBytes) throw new Error(`the body is larger than ${String(maxBytes)} bytes`);
    chunks.push(chunk);
  }
  const type = headers['content-type'];
  return new Response(BODILESS.has(statusCode) ? null : Buffer.concat(chunks), {
    status: statusCode,
    headers: typeof type === 'string' ? { 'content-type': type } : {},
  });
}
