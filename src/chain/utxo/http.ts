// The HTTP client of UTXO sources: one total time-out, no retries, no redirects. Credentials are removed from the URL,
// which never appears in an error or a log.

import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import type { Network } from '../../values/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import { withoutTrailing } from '../../values/formats/text.ts';

/** A Bitcoin block has at most 4 MB, or 8 MB as hex; anything above this is a fault. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

export interface HttpOptions {
  readonly network: Network;
  readonly url: string;
  /** From the start of a round trip to the last byte of the response. */
  readonly timeoutMs: number;
  /** A file with `user:password` that nodes write at each start. Read when first needed and again after a 401. */
  readonly cookiePath?: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export interface Http {
  get(path: string): Promise<HttpAnswer>;
  post(path: string, body: string, contentType: string): Promise<HttpAnswer>;
  /** Throws `ChainUnavailable`, for implausible answers. */
  fail(message: string): never;
}

export function createHttp({ network, url, timeoutMs, cookiePath }: HttpOptions): Http {
  const target = URL.parse(url);
  if (!target || !/^https?:$/.test(target.protocol))
    throw new Error(`${network}: the node's URL must be http or https`);
  let authorization =
    target.username === ''
      ? null
      : basic(`${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`);
  target.username = '';
  target.password = '';
  const base = withoutTrailing(target.href, '/');
  const dispatcher = new Agent({ maxResponseSize: MAX_RESPONSE_BYTES });

  const fail = (message: string): never => {
    throw new ChainUnavailable(network, message);
  };

  async function readCookie(path: string): Promise<string> {
    const text = await readFile(path, 'utf8').catch(() => null);
    return basic(text?.trim() ?? fail('the node’s cookie file cannot be read'));
  }

  async function send(method: 'GET' | 'POST', path: string, body?: string, contentType?: string): Promise<HttpAnswer> {
    const headers: Record<string, string> = { ...(contentType && { 'content-type': contentType }) };
    if (authorization !== null) headers.authorization = authorization;
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await request(`${base}${path}`, { method, headers, body: body ?? null, signal, dispatcher });
      return { status: response.statusCode, body: Buffer.from(await response.body.arrayBuffer()) };
    } catch (error) {
      const { name, code } = error as { name?: unknown; code?: unknown };
      if (name === 'TimeoutError') return fail(`the node did not answer within ${String(timeoutMs)} ms`);
      // Only the error's code: messages of the HTTP client may contain the URL.
      return fail(`the node could not be reached (${typeof code === 'string' ? code : 'unknown error'})`);
    }
  }

  async function ask(method: 'GET' | 'POST', path: string, body?: string, contentType?: string): Promise<HttpAnswer> {
    if (cookiePath === undefined) return send(method, path, body, contentType);
    authorization ??= await readCookie(cookiePath);
    const answer = await send(method, path, body, contentType);
    if (answer.status !== 401) return answer;
    // The node was restarted and wrote a new cookie.
    authorization = await readCookie(cookiePath);
    return send(method, path, body, contentType);
  }

  return {
    get: (path) => ask('GET', path),
    post: (path, body, contentType) => ask('POST', path, body, contentType),
    fail,
  };
}

function basic(credentials: string): string {
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}
