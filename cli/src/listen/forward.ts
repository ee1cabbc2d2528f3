// Posts an event to the developer's server, and again while it does not answer 2xx.

import { setTimeout as rest } from 'node:timers/promises';
import { headersOf, newDeliveryId } from './delivery.ts';

/** As the gateway's: from connecting to the end of the answer. */
const ANSWER_WITHIN_MS = 5_000;
/** At most so much of an answer is read. */
const MOST_BYTES = 64 * 1024;
const LONGEST_DELAY_MS = 30_000;

/** What is posted, and where. */
export interface Forwarding {
  readonly url: string;
  readonly secret: string;
  /** How often an attempt is repeated before it is given up. */
  readonly retries: number;
  readonly signal: AbortSignal;
}

/** What came of one attempt. */
export interface Outcome {
  /** From 1. */
  readonly attempt: number;
  /** The status answered; null if there was no answer in time. */
  readonly status: number | null;
  /** Why there was none. */
  readonly error: string | null;
  readonly durationMs: number;
  readonly isTaken: boolean;
  /** In how long the next attempt is made; null if there is none. */
  readonly nextInMs: number | null;
}

/**
 * Posts an event until it is taken or its retries have ended; tells `told` of every attempt. Each is signed at its own
 * time. Throws the signal's reason when it is aborted, also in the midst of an attempt.
 */
export async function forward(
  { url, secret, retries, signal }: Forwarding,
  { eventId, body }: { readonly eventId: string; readonly body: string },
  told: (outcome: Outcome) => void,
): Promise<void> {
  const deliveryId = newDeliveryId();
  for (let attempt = 1; ; attempt += 1) {
    const time = Math.floor(Date.now() / 1_000);
    const begun = performance.now();
    const answer = await post(url, headersOf({ eventId, deliveryId, attempt, time, body, secret }), body, signal);
    const isTaken = answer.status !== null && answer.status >= 200 && answer.status < 300;
    const nextInMs = isTaken || attempt > retries ? null : Math.min(LONGEST_DELAY_MS, 1_000 * 2 ** (attempt - 1));
    told({ attempt, ...answer, durationMs: Math.round(performance.now() - begun), isTaken, nextInMs });
    if (nextInMs === null) return;
    await rest(nextInMs, undefined, { signal });
  }
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<{ readonly status: number | null; readonly error: string | null }> {
  const limit = AbortSignal.timeout(ANSWER_WITHIN_MS);
  try {
    // A redirection is an answer like others: what is signed for this address goes to no other.
    const sent = {
      method: 'POST',
      headers,
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    } as const;
    const response = await fetch(url, sent);
    await readSome(response);
    return { status: response.status, error: null };
  } catch (error) {
    signal.throwIfAborted();
    if (limit.aborted) return { status: null, error: `no answer within ${ANSWER_WITHIN_MS / 1_000} s` };
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const { code, message } = cause as NodeJS.ErrnoException;
    return { status: null, error: code ?? message };
  }
}

async function readSome({ body }: Response): Promise<void> {
  if (!body) return;
  let bytes = 0;
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) break;
  }
}
