// Reads an untrusted HTTP response up to a size limit, and keeps only text that can be stored.

import type { Dispatcher } from 'undici';

/** The parts of a response that are kept. */
export interface ResponseRead {
  readonly status: number;
  readonly headers: { readonly retryAfter?: string };
  /** The first 1 KiB of the body as text; invalid bytes are replaced. */
  readonly bodyStart: string;
}

interface Listener {
  onStart(controller: Dispatcher.DispatchController): void;
  /** The response is complete, or read up to the limit. Ignore later `onError` calls. */
  onRead(response: ResponseRead): void;
  onError(error: Error): void;
}

const KEPT_BYTES = 1024;
const MAX_HEADER_LENGTH = 256;
/** Limit on informational (1xx) responses before the final one; more count as a flood. */
const MAX_INFORMATIONAL = 10;

/**
 * Creates an undici handler that stops after `maxBytes` of body. Redirects are ordinary responses: undici follows none.
 */
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
      // Copied, because a slice would keep undici's whole read buffer alive.
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

/** Decodes lossy UTF-8: a character cut in two by the limit is dropped, other invalid bytes become U+FFFD. */
function storableText(bytes: Buffer, isCut: boolean): string {
  return storable(isCut ? new TextDecoder().decode(bytes, { stream: true }) : bytes.toString());
}

/** Cuts text to `maxLength` characters and makes it storable as PostgreSQL `text`: no NUL, no unpaired surrogates. */
export function safeText(text: string, maxLength: number): string {
  return storable(text.slice(0, maxLength));
}

function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}
