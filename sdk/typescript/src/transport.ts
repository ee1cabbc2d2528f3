// One request to the gateway: sent, timed, repeated where that is right, and its answer read.

import { ApiError, ConnectionError, errorOf, TimeoutError, type ErrorDetail } from './errors.ts';
import { NAME, VERSION } from './generated/package.ts';
import type { Settings } from './options.ts';
import { delayMs, mayRepeat, pause, readRetryAfter, reasonOf } from './retry.ts';

/** What is sent. */
export interface Outgoing {
  readonly method: string;
  /** From the gateway's root, such as `/api/v1/payments?limit=2`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Serialised once, so that every repetition has the same bytes. */
  readonly body?: string | undefined;
  /** Whether it may be repeated although the gateway may have acted on it. */
  readonly isSafe: boolean;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Sends until it is answered, or until repeating is no use; returns the answer's text. Throws what the last one was.
 */
export async function sendWithRetries(settings: Settings, outgoing: Outgoing): Promise<string> {
  for (let nth = 0; ; nth += 1) {
    try {
      return await sendOnce(settings, outgoing);
    } catch (error) {
      if (nth >= settings.maxRetries || !mayRepeat(error, outgoing.isSafe)) throw error;
      const delay = delayMs(error, nth);
      // A spread of its own may come on top of what is accepted.
      if (delay > settings.maxRetryAfterMs + 1_000) throw error;
      await pause(delay, outgoing.signal);
    }
  }
}

async function sendOnce(settings: Settings, outgoing: Outgoing): Promise<string> {
  const { method, path, headers, body, signal } = outgoing;
  const timeout = AbortSignal.timeout(outgoing.timeoutMs ?? settings.timeoutMs);
  try {
    const response = await settings.fetch(`${settings.baseUrl}${path}`, {
      method,
      headers: { ...ownHeaders(), ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body }),
      // A redirection would carry a secret to another address.
      redirect: 'manual',
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    });
    const text = await response.text();
    if (response.ok) return text;
    throw readRefusal(response, text);
  } catch (error) {
    if (signal?.aborted) throw reasonOf(signal);
    throw error instanceof ApiError ? error : asConnectionError(error, timeout.aborted);
  }
}

function asConnectionError(cause: unknown, isLate: boolean): ConnectionError {
  if (isLate) return new TimeoutError('The gateway did not answer in time', { cause });
  return new ConnectionError('The connection to the gateway failed', { cause });
}

/** Browsers send a name of their own, and ask the gateway first for every header that they do not know. */
export const ownHeaders = (): Record<string, string> =>
  'document' in globalThis ? {} : { 'user-agent': `${NAME}/${VERSION}` };

/** The error of an answer that is no success: the gateway's own, or that of something before it. */
export function readRefusal(response: Response, text: string): Error {
  const told = readFailure(text);
  return errorOf({
    code: told?.code ?? null,
    status: response.status,
    message: told?.message ?? `The answer has the status ${response.status}, and is not the gateway's`,
    requestId: response.headers.get('x-request-id'),
    retryAfter: readRetryAfter(response.headers.get('retry-after')),
    details: told?.details ?? [],
  });
}

interface Failure {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly ErrorDetail[];
}

function readFailure(text: string): Failure | null {
  try {
    const { error } = JSON.parse(text) as { error?: Failure };
    return typeof error?.code === 'string' ? error : null;
  } catch {
    return null;
  }
}
