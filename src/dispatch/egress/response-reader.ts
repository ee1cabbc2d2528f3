// Reads an untrusted HTTP response: so much and no more, and only text that can be stored.

import type { Dispatcher } from 'undici';

/** What is kept of a response. */
export interface ResponseRead {
  readonly status: number;
  readonly headers: { readonly retryAfter?: string };
  /** The first 1 KiB of the body as text; bytes that are no text are replaced. */
  readonly bodyStart: string;
}

interface Listener {
  onStart(controller: Dispatcher.DispatchController): void;
  /** The response is complete, or as much of it as is allowed was read. Later `onError` calls mean nothing. */
  onRead(response: ResponseRead): void;
  onError(error: Error): void;
}

const KEPT_BYTES = 1024;
const MAX_HEADER_LENGTH = 256;
/** Informational (1xx) answers before the real one; an endless row of them is a flood. */
const MAX_INFORMATIONAL = 10;

/** An undici handler that stops after `maxBytes` of body. Redirects are answers like any other: undici follows none. */
export function createResponseReader(maxBytes: number, listener: Listener): Dispatcher.DispatchHandler {
  let status = 0;
  let retryAfter: string | undefined;
  let informational = 0;
  let readBytes = 0;
  let kept = Buffer.alloc(0);
  const report = (): void => {
    const headers = retryAfter === undefined ? {} : { retryAfter: safeText(retryAfter, MAX_HEADER_LENGTH) };
    listener.onRead({ status, headers, bodyStart: storableText(kept, readBytes > KEPT_BYTES) });
  };
  return {
    onRequestStart(controller) {
      listener.onStart(controller);
    },
    onResponseStart(controller, statusCode, headers) {
      if (statusCode < 200) {
        informational += 1;
        if (informational > MAX_INFORMATIONAL) controller.abort(new Error('too many informational responses'));
        return;
      }
      status = statusCode;
      const value = headers['retry-after'];
      retryAfter = Array.isArray(value) ? value[0] : value;
    },
    onResponseData(controller, chunk) {
      readBytes += chunk.length;
      // Copied, since a slice would keep undici's whole read buffer alive.
      if (kept.length < KEPT_BYTES) kept = Buffer.concat([kept, chunk.subarray(0, KEPT_BYTES - kept.length)]);
      if (readBytes < maxBytes) return;
      report();
      controller.abort(new Error('enough of the response was read'));
    },
    onResponseEnd: report,
    onResponseError(_controller, error) {
      listener.onError(error);
    },
  };
}

/** Lossy UTF-8. A character cut in two by the limit is left out, other bytes that are no text become U+FFFD. */
function storableText(bytes: Buffer, isCut: boolean): string {
  return storable(isCut ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString());
}

/** At most `maxLength` characters that PostgreSQL's `text` takes: no NUL, no unpaired surrogate. */
export function safeText(text: string, maxLength: number): string {
  return storable(text.slice(0, maxLength));
}

function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}
