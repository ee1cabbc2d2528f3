// One connection to /graphql/stream, in the distinct connections mode of graphql-sse: it ends, and is not mended here.

import { ApiError, ConnectionError, errorOf, TimeoutError } from '../errors.ts';
import type { Settings } from '../options.ts';
import { reasonOf } from '../retry.ts';
import { ownHeaders, readRefusal } from '../transport.ts';
import { readMessages } from './sse.ts';

/** The gateway sends a comment every 12 seconds: after three silent ones, nobody is there any more. */
const SILENCE_MS = 36_000;

/** What is subscribed to. */
export interface Subscription {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Where, as whom, and until when. */
export interface Connection {
  readonly settings: Settings;
  readonly token: string;
  /** Called when the gateway has accepted. */
  readonly opened: () => void;
  readonly signal: AbortSignal | undefined;
}

interface Result {
  readonly data?: { readonly result?: unknown } | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: Record<string, unknown> }[];
}

/**
 * The results of one connection, until the gateway completes it. Throws an ApiError where the gateway refuses or ends
 * it for a reason, a ConnectionError where it breaks, and the signal's reason.
 */
export async function* openStream(
  { settings, token, opened, signal }: Connection,
  subscription: Subscription,
): AsyncGenerator<unknown, void, undefined> {
  const ending = new AbortController();
  const leave = (): void => ending.abort(reasonOf(signal));
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave, { once: true });
  const silence = watchSilence(ending);
  try {
    const response = await settings.fetch(`${settings.baseUrl}/graphql/stream`, {
      method: 'POST',
      headers: { ...ownHeaders(), 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(subscription),
      redirect: 'manual',
      signal: ending.signal,
    });
    if (!response.ok || !response.body) throw readRefusal(response, await response.text());
    opened();
    for await (const { event, data } of readMessages(textOf(response.body, silence.heard))) {
      if (event === 'next') yield readResult(data);
      if (event === 'complete') return;
    }
    throw new ConnectionError('The stream was cut off');
  } catch (error) {
    if (signal?.aborted) throw reasonOf(signal);
    if (error instanceof ApiError || error instanceof ConnectionError) throw error;
    throw new ConnectionError('The stream broke', { cause: error });
  } finally {
    silence.stop();
    signal?.removeEventListener('abort', leave);
    ending.abort();
  }
}

function watchSilence(ending: AbortController): { readonly heard: () => void; readonly stop: () => void } {
  const end = (): void => ending.abort(new TimeoutError('The stream was silent for too long'));
  let timer = setTimeout(end, SILENCE_MS);
  const stop = (): void => clearTimeout(timer);
  const heard = (): void => {
    stop();
    timer = setTimeout(end, SILENCE_MS);
  };
  return { heard, stop };
}

/** Read by a reader, as not every browser can loop over a stream. */
async function* textOf(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    yield decoder.decode(value, { stream: true });
  }
}

function readResult(text: string): unknown {
  const { data, errors } = JSON.parse(text) as Result;
  const error = errors?.[0];
  if (!error) return data?.result;
  const { errorCode, requestId } = error.extensions ?? {};
  const code = typeof errorCode === 'string' ? errorCode : null;
  throw errorOf({
    ...{ code, status: statusOf(code), message: error.message, retryAfter: null, details: [] },
    requestId: typeof requestId === 'string' ? requestId : null,
  });
}

/** Over a stream there is no status: that of the code, for the error's class. */
function statusOf(code: string | null): number {
  if (code === '1003' || code === '1004' || code === '1008' || code === '1012') return 403;
  if (code?.startsWith('1')) return 401;
  if (code === '2004') return 404;
  if (code === '9001') return 429;
  return code === '9500' || code === null ? 500 : code === '9503' ? 503 : 400;
}
