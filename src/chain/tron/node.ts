// The client of a TRON node's HTTP API (`/wallet/…`), with one total time-out, no retries and no redirects. Callers
// retry, so nothing is skipped.

import { Agent, request } from 'undici';
import type { Network } from '../../values/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import { fieldsOf, type Fields } from './rpc-types.ts';
import { withoutTrailing } from '../../values/formats/text.ts';

/** Every failure is a `ChainUnavailable`. */
export interface TronNode {
  /** Asks about the state at the tip. An empty object means that the thing does not exist. */
  ask(method: string, question?: object): Promise<Fields>;
  /** The same for methods that return a list. */
  list(method: string, question: object): Promise<readonly unknown[]>;
  /** Asks about the final state: blocks that 19 of the 27 producers have built on (`/walletsolidity/…`). */
  askFinal(method: string, question?: object): Promise<Fields>;
  /** Throws `ChainUnavailable`, for implausible answers. */
  fail(message: string, cause?: unknown): never;
}

export interface TronNodeOptions {
  network: Network;
  /** The base URL of `/wallet`; http(s). Never logged, because it may contain a key. */
  url: string;
  /** The base URL of `/walletsolidity` if it differs; an own node serves it on another port. */
  finalUrl?: string | null;
  /** TronGrid's key, sent as `TRON-PRO-API-KEY`; also to `finalUrl`, but only if the host is the same. */
  apiKey?: string | null;
  /** From the start of a round trip to the last byte of the response. */
  timeoutMs: number;
}

/** A full block with its results is below a megabyte; anything above this is a fault. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** Sockets are reused but do not keep the process alive. */
export function createTronNode(options: TronNodeOptions): TronNode {
  const { network, timeoutMs } = options;
  const dispatcher = new Agent({ maxResponseSize: MAX_RESPONSE_BYTES });
  const base = readUrl(network, options.url);
  const finalBase = options.finalUrl == null ? base : readUrl(network, options.finalUrl);
  const keyFor = ({ host }: Base) =>
    options.apiKey == null || host !== base.host ? {} : { 'TRON-PRO-API-KEY': options.apiKey };

  const fail = (message: string, cause?: unknown): never => {
    throw new ChainUnavailable(network, message, cause === undefined ? undefined : { cause });
  };

  async function post(to: Base, path: string, question: object): Promise<unknown> {
    const { target, headers } = to;
    let answer: { status: number; text: string };
    try {
      const response = await request(`${target}${path}`, {
        ...{ method: 'POST', headers: { ...headers, ...keyFor(to) }, body: JSON.stringify(question), dispatcher },
        signal: AbortSignal.timeout(timeoutMs),
      });
      answer = { status: response.statusCode, text: await response.body.text() };
    } catch (error) {
      const timedOut = isObject(error) && error.name === 'TimeoutError';
      return fail(timedOut ? `the node did not answer within ${String(timeoutMs)} ms` : describe(error));
    }
    return parse(path, answer);
  }

  function parse(path: string, { status, text }: { status: number; text: string }): unknown {
    if (status >= 300) fail(`the node answered ${path} with HTTP status ${String(status)}`);
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      fail(`the node answered ${path} with HTTP status ${String(status)} and no JSON`);
    }
    // Java exceptions and rate limiting come with status 200 too.
    if (isObject(answer) && 'Error' in answer)
      fail(`the node answered ${path} with an error: ${JSON.stringify(answer.Error).slice(0, 200)}`);
    return answer;
  }

  return {
    ask: async (method, question = {}) => fieldsOf(await post(base, `/wallet/${method}`, question), method),
    list: async (method, question) => {
      const answer = await post(base, `/wallet/${method}`, question);
      return Array.isArray(answer) ? (answer as unknown[]) : fail(`the node's answer to ${method} is not a list`);
    },
    askFinal: async (method, question = {}) =>
      fieldsOf(await post(finalBase, `/walletsolidity/${method}`, question), method),
    fail,
  };
}

interface Base {
  /** Without its port. */
  readonly host: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

function readUrl(network: Network, text: string): Base {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error(`${network}: the node's URL must be http or https`);
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' };
  if (url.username !== '' || url.password !== '') {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  return { host: url.hostname, target: `${url.origin}${withoutTrailing(url.pathname, '/')}`, headers };
}

/** Uses only the error's code: the HTTP client's messages may contain the URL. */
function describe(error: unknown): string {
  const code = isObject(error) && typeof error.code === 'string' ? error.code : 'unknown error';
  return `the node could not be reached (${code})`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
