// The receiver's log: one line for each request, written to disk before the request is answered.

import { readFile } from 'node:fs/promises';

/** How the receiver answered a request. */
export interface GivenAnswer {
  /** Null: the connection was cut without an answer. */
  readonly status: number | null;
  /** How long the answer was held back, in milliseconds. */
  readonly delayMs: number;
  /** The `Retry-After` that went with it: seconds or an HTTP date. */
  readonly retryAfter: string | null;
}

/** A request that the receiver took. */
export interface Taken {
  /** When its body was complete, in Unix milliseconds. */
  readonly at: number;
  readonly path: string;
  readonly eventId: string;
  readonly deliveryId: string;
  readonly attempt: number;
  /** X-PGW-Timestamp, X-PGW-Signature and the headers of Standard Webhooks, as received. */
  readonly timestamp: string;
  readonly signature: string;
  readonly standard: { readonly id: string; readonly timestamp: string; readonly signature: string };
  /** SHA-256 of the body, in hex. */
  readonly digest: string;
  readonly answer: GivenAnswer;
}

/** A line of the log: a request, or the bytes of a body that was not seen before. */
export type BookLine = Taken | { readonly digest: string; readonly body: string };

export interface ReceiverLog {
  readonly taken: readonly Taken[];
  /** Bodies by their digest. */
  readonly bodies: ReadonlyMap<string, string>;
}

/** Reads a whole log. */
export async function readReceiverLog(path: string): Promise<ReceiverLog> {
  const text = await readFile(path, 'utf8');
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as BookLine);
  const taken = lines.filter((line) => 'eventId' in line);
  const bodies = new Map(lines.filter((line) => 'body' in line).map(({ digest, body }) => [digest, body]));
  return { taken, bodies };
}
