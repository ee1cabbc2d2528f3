// The JSON-RPC client of Bitcoin Core and its relatives. Numbers with a fraction stay text, because amounts are such
// numbers.

import type { Network } from '../../values/assets.ts';
import { ChainUnavailable } from '../errors.ts';
import { createHttp, type HttpOptions } from './http.ts';

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Every failure is a `ChainUnavailable`; an error that the node answered is its subclass `RpcError`. */
export interface Rpc {
  call(method: string, ...params: unknown[]): Promise<unknown>;
  /** Sends several calls in as few round trips as possible. A call's error takes the place of its result. */
  batch(calls: readonly RpcCall[]): Promise<readonly unknown[]>;
  fail(message: string): never;
}

/** The node answered with an error. */
export class RpcError extends ChainUnavailable {
  constructor(
    network: Network,
    readonly code: number,
    readonly method: string,
    readonly nodeMessage: string,
  ) {
    super(network, `the node answered ${method} with error ${String(code)}: ${nodeMessage.slice(0, 200)}`);
    this.name = 'RpcError';
  }

  /** The block, transaction or height does not exist (RPC_INVALID_ADDRESS_OR_KEY, RPC_INVALID_PARAMETER). */
  get isNotFound(): boolean {
    return this.code === -5 || this.code === -8;
  }
}

/** A batch of raw transactions is a few megabytes at most. */
const MAX_BATCH = 200;

export function createRpc(options: HttpOptions): Rpc {
  const { network } = options;
  const http = createHttp(options);
  const { fail } = http;
  let lastId = 0;

  async function post(body: unknown): Promise<unknown> {
    const { status, body: bytes } = await http.post('', JSON.stringify(body), 'application/json');
    if (status === 401 || status === 403) return fail('the node refuses the credentials');
    try {
      return parseExactly(bytes.toString('utf8'));
    } catch {
      return fail(`the node answered with HTTP status ${String(status)} and no JSON`);
    }
  }

  function resultOf(answer: unknown, { method }: RpcCall): unknown {
    if (!isObject(answer)) return fail(`the node's answer to ${method} is not JSON-RPC`);
    if (isObject(answer.error)) {
      const { code, message } = answer.error;
      return new RpcError(network, Number(code), method, typeof message === 'string' ? message : 'no message');
    }
    return answer.result;
  }

  return {
    async call(method, ...params) {
      const call = { method, params };
      const result = resultOf(await post({ jsonrpc: '1.0', id: ++lastId, ...call }), call);
      if (result instanceof RpcError) throw result;
      return result;
    },
    async batch(calls) {
      const results: unknown[] = [];
      for (let start = 0; start < calls.length; start += MAX_BATCH) {
        const part = calls.slice(start, start + MAX_BATCH);
        const firstId = lastId + 1;
        lastId += part.length;
        const answers = await post(part.map((call, at) => ({ jsonrpc: '1.0', id: firstId + at, ...call })));
        if (!Array.isArray(answers)) return fail('the node does not answer batches');
        const byId = new Map(answers.filter(isObject).map((answer) => [answer.id, answer]));
        results.push(...part.map((call, at) => resultOf(byId.get(firstId + at), call)));
      }
      return results;
    },
    fail,
  };
}

/**
 * Parses JSON, but keeps numbers written with a fraction (even `1.00000000`) as text. The reviver visits every value,
 * which is slow, so it is skipped for text without such numbers (a block or a list of transactions in hex).
 */
function parseExactly(text: string): unknown {
  if (!/[\s:,[-]\d+[.eE][-+\d]/.test(text)) return JSON.parse(text) as unknown;
  const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
  return parse(text, (_, value, { source }) =>
    typeof value === 'number' && source !== undefined && /[.eE]/.test(source) ? source : value,
  );
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
