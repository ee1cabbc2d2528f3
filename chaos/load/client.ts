// The REST client of a merchant whose program survives outages: it records answers and repeats the calls that may be
// repeated.

import { setTimeout as rest } from 'node:timers/promises';
import { Violation } from '../invariants/violation.ts';
import type { Notes } from './client-log.ts';

/** The `data` of an answer. It is untyped: the values read from it are checked by their use. */
export type Data = ReturnType<typeof JSON.parse>;

/** A conclusive answer: done, or refused with a code. */
export interface Answer {
  readonly status: number;
  readonly data: Data;
  /** The error code; null for a success. */
  readonly code: string | null;
}

export interface Call {
  readonly token?: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

export interface Client {
  /** Makes one call below /api/v1; null if its outcome is unknown: cut off, timed out, or answered with 5xx. */
  tryOnce(method: string, path: string, call?: Call): Promise<Answer | null>;
  /** Repeats a call until it is answered. Throws `Violation` if that takes too long. */
  untilAnswered(method: string, path: string, call?: Call): Promise<Answer>;
  /** Returns the data of a call that must succeed in the end. Throws `Violation` if it is refused. */
  data(method: string, path: string, call?: Call): Promise<Data>;
}

/** What a caller saw of one call. */
export interface Seen {
  /** Null: there was no answer. */
  readonly status: number | null;
  /** The error code, if the answer is one. */
  readonly code: string | null;
  readonly ms: number;
}

interface ClientOptions {
  /** Once it is aborted, each call throws its reason. */
  readonly leaving?: AbortSignal;
  /** Receives every call, also those that are repeated. */
  readonly onSeen?: (seen: Seen) => void;
}

/** After this, a call counts as not answered. */
export const CALL_WITHIN_MS = 15_000;
const ANSWER_WITHIN_MS = 90_000;
const BETWEEN_TRIES_MS = 150;
/** The error code while a request under the same idempotency key, cut off on our side, is still in flight. */
const IN_FLIGHT = '2003';

/** Creates a client of the processes at these URLs, which it calls in turn. */
export function createClient(urls: string | readonly string[], calls: Notes['calls'], options: ClientOptions = {}) {
  const { leaving, onSeen } = options;
  const origins = [urls].flat();
  let turn = 0;

  async function tryOnce(method: string, path: string, call: Call = {}): Promise<Answer | null> {
    leaving?.throwIfAborted();
    const origin = origins[turn++ % origins.length] ?? '';
    const startedAt = performance.now();
    const answer = await send(`${origin}/api/v1${path}`, method, call).catch(() => null);
    onSeen?.({ status: answer?.status ?? null, code: answer?.code ?? null, ms: performance.now() - startedAt });
    const settled = answer !== null && answer.status < 500 && answer.code !== IN_FLIGHT ? answer : null;
    calls[settled === null ? 'unanswered' : 'answered'] += 1;
    return settled;
  }

  async function untilAnswered(method: string, path: string, call: Call = {}): Promise<Answer> {
    const end = performance.now() + ANSWER_WITHIN_MS;
    for (;;) {
      const answer = await tryOnce(method, path, call);
      if (answer !== null) return answer;
      if (performance.now() > end)
        throw new Violation(`${method} ${path} was not answered within ${ANSWER_WITHIN_MS / 1_000} s of repeating it`);
      await rest(BETWEEN_TRIES_MS);
    }
  }

  const client: Client = {
    tryOnce,
    untilAnswered,
    async data(method, path, call) {
      const { status, data, code } = await untilAnswered(method, path, call);
      if (code !== null) throw new Violation(`${method} ${path} was refused with ${status}/${code}`);
      return data;
    },
  };
  return client;
}

async function send(url: string, method: string, { token, body, idempotencyKey }: Call): Promise<Answer> {
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  };
  const response = await fetch(url, {
    method,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(CALL_WITHIN_MS),
  });
  const answer = (await response.json()) as { success: boolean; data?: Data; error?: { code: string } };
  return {
    status: response.status,
    data: answer.data ?? null,
    code: answer.success ? null : String(answer.error?.code),
  };
}

/** Reads every item of a cursor-paginated list. */
export async function allPages(client: Client, path: string, token: string): Promise<Data[]> {
  const items: Data[] = [];
  for (let cursor: string | null = null; ;) {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page = await client.data('GET', `${path}?limit=100${query}`, { token });
    items.push(...page.items);
    if (!page.pagination.hasMore) return items;
    cursor = page.pagination.nextCursor as string;
  }
}

/** Reads a merchant's whole event log after a sequence number, through GET /events. */
export async function eventsAfter(client: Client, token: string, sequence: number): Promise<Data[]> {
  const items: Data[] = [];
  for (let after = sequence; ;) {
    const page = await client.data('GET', `/events?after=${after}&limit=100`, { token });
    items.push(...page.items);
    if (!page.hasMore) return items;
    after = items.at(-1)?.sequence;
  }
}
