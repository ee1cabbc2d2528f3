// A JSON-RPC client over HTTP with one total time-out, no retries and no redirects. Callers retry, so nothing is
// skipped.

import { Agent, request } from 'undici';
import type { Network } from '../../values/assets.ts';
import { ChainUnavailable } from '../errors.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Every failure is a `ChainUnavailable`; an error that the node answered is its subclass `RpcError`. */
export interface Rpc {
  /** Returns the raw `result`. */
  call(method: string, params: readonly unknown[]): Promise<unknown>;
  /** Sends several calls in as few round trips as the node allows. Results are in order; the first error is thrown. */
  batch(calls: readonly RpcCall[]): Promise<readonly unknown[]>;
  /** Throws `ChainUnavailable`, for implausible answers. */
  fail(message: string, cause?: unknown): never;
}

/** The node answered with a JSON-RPC error. */
export class RpcError extends ChainUnavailable {
  constructor(
    network: Network,
    readonly code: number,
    readonly method: string,
    nodeMessage: string,
  ) {
    super(network, `the node answered ${method} with error ${String(code)}: ${nodeMessage.slice(0, 200)}`);
    this.name = 'RpcError';
  }

  /**
   * Whether the node does not offer the method: -32601 (JSON-RPC 2.0), -32004 (EIP-1474), or, on hosted nodes, any code
   * with a message that says so. Messages such as "header not found" do not count.
   */
  get isMissingMethod(): boolean {
    if (this.code === -32601 || this.code === -32004) return true;
    // Matches "trace_block is not available on the free tier", but not a failure of the method itself.
    if (new RegExp(`${this.method}\\W{0,2} (is|does) (not|only|un\\w+|disabled)\\b`, 'i').test(this.message))
      return true;
    return /\bmethod\b/i.test(this.message) && /\bnot\b|unsupported|disabled|unknown/i.test(this.message);
  }

  /** Whether the node has pruned the state of the block, by the wordings of the common node programs. */
  get isStateGone(): boolean {
    return /missing trie node|\bprun(ed|ing)\b|historical state|no state available|state\b.{0,60}\b(not|un) ?available|block ?out ?of ?range/i.test(
      this.message,
    );
  }

  /** Whether a contract reverted: code 3, Nethermind's -32015, or any code with a message that says so. */
  get isRevert(): boolean {
    return this.code === 3 || this.code === -32015 || /revert/i.test(this.message);
  }
}

/** A block of the largest chains with all its receipts is a few megabytes; anything above this is a fault. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Hosted nodes limit batches, many to 100, some to 50. */
const MAX_BATCH = 50;

interface RpcOptions {
  network: Network;
  /** http(s). Credentials become a Basic Authorization header. It is never logged, because it often contains a key. */
  url: string;
  /** From the start of a round trip to the last byte of the response. */
  timeoutMs: number;
  /** The most calls in one batch. */
  batchSize?: number;
}

/** Sockets are reused but do not keep the process alive. */
export function createRpc({ network, url, timeoutMs, batchSize = MAX_BATCH }: RpcOptions): Rpc {
  const { target, headers } = readUrl(network, url);
  const dispatcher = new Agent({ maxResponseSize: MAX_RESPONSE_BYTES });
  let offersBatches = true;
  let lastId = 0;

  const fail = (message: string, cause?: unknown): never => {
    throw new ChainUnavailable(network, message, cause === undefined ? undefined : { cause });
  };

  async function post(body: unknown): Promise<unknown> {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const options = { method: 'POST', headers, body: JSON.stringify(body), signal, dispatcher } as const;
      const response = await request(target, options);
      const text = await response.body.text();
      return parseAnswer(response.statusCode, text, response.headers['retry-after']);
    } catch (error) {
      if (error instanceof UnusableAnswer)
        throw new ChainUnavailable(network, error.message, { retryAfterMs: error.retryAfterMs });
      const timedOut = isObject(error) && error.name === 'TimeoutError';
      return fail(timedOut ? `the node did not answer within ${String(timeoutMs)} ms` : describe(error));
    }
  }

  function resultOf(answer: unknown, { method }: RpcCall): unknown {
    if (!isObject(answer)) return fail(`the node's answer to ${method} is not JSON-RPC`);
    if (isObject(answer.error)) {
      const { code, message } = answer.error;
      throw new RpcError(network, Number(code), method, typeof message === 'string' ? message : 'no message');
    }
    if (!('result' in answer)) return fail(`the node's answer to ${method} has neither result nor error`);
    return answer.result;
  }

  async function single(call: RpcCall): Promise<unknown> {
    return resultOf(await post(envelope(++lastId, call)), call);
  }

  async function chunk(calls: readonly RpcCall[]): Promise<readonly unknown[]> {
    if (calls.length <= 1 || !offersBatches) return Promise.all(calls.map(single));
    const firstId = lastId + 1;
    lastId += calls.length;
    const answers = await post(calls.map((call, position) => envelope(firstId + position, call)));
    if (!Array.isArray(answers)) {
      // A single error object instead of a list: the node does not accept batches.
      offersBatches = false;
      return Promise.all(calls.map(single));
    }
    const byId = new Map(answers.filter(isObject).map((answer) => [answer.id, answer]));
    return calls.map((call, position) => resultOf(byId.get(firstId + position), call));
  }

  return {
    call: (method, params) => single({ method, params }),
    batch: async (calls) => {
      const results: unknown[] = [];
      for (let start = 0; start < calls.length; start += batchSize) {
        results.push(...(await chunk(calls.slice(start, start + batchSize))));
      }
      return results;
    },
    fail,
  };
}

/** A response with an HTTP error, or without JSON. */
class UnusableAnswer extends Error {
  constructor(
    message: string,
    readonly retryAfterMs: number | null = null,
  ) {
    super(message);
  }
}

/** Some nodes send JSON-RPC errors with status 400 or 403, so the body decides if it is JSON. */
function parseAnswer(status: number, text: string, retryAfter: string | string[] | undefined): unknown {
  const isRpcStatus = status < 300 || (status >= 400 && status < 500 && status !== 401 && status !== 429);
  if (!isRpcStatus)
    throw new UnusableAnswer(`the node answered with HTTP status ${String(status)}`, readRetryAfter(retryAfter));
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UnusableAnswer(`the node answered with HTTP status ${String(status)} and no JSON`);
  }
}

/** Retry-After in seconds, as rate-limiting nodes send it. */
function readRetryAfter(value: string | string[] | undefined): number | null {
  return typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) * 1_000 : null;
}

function envelope(id: number, { method, params }: RpcCall): Record<string, unknown> {
  return { jsonrpc: '2.0', id, method, params };
}

function readUrl(network: Network, text: string): { target: URL; headers: Record<string, string> } {
  const target = URL.parse(text);
  if (!target || !/^https?:$/.test(target.protocol))
    throw new Error(`${network}: the node's URL must be http or https`);
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  if (target.username !== '' || target.password !== '') {
    const credentials = `${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    target.username = '';
    target.password = '';
  }
  return { target, headers };
}

/** Uses only the error's code: the HTTP client's messages may contain the URL. */
function describe(error: unknown): string {
  const code = isObject(error) && typeof error.code === 'string' ? error.code : 'unknown error';
  return `the node could not be reached (${code})`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
