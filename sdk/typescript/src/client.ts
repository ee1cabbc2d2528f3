// The client: one object for a gateway and a key. Calls are grouped by what they are about.

import { ApiError } from './errors.ts';
import { OPERATIONS } from './generated/operations.ts';
import { Live } from './live/live.ts';
import { readOptions, type CallOptions, type Settings, type TurnpikeOptions } from './options.ts';
import { Listing } from './paging.ts';
import { Events, Merchant, Sandbox, Webhooks } from './resources/account.ts';
import { Rates, Reports, Wallet } from './resources/money.ts';
import { Checkout, Invoices, PaymentLinks, Payments, Refunds } from './resources/orders.ts';
import { TokenSource } from './token.ts';
import { sendWithRetries } from './transport.ts';
import type { DataOf, OperationName, RequestOf } from './types.ts';

export { Listing };

interface Operation {
  readonly method: string;
  readonly path: string;
  /** Takes an `Idempotency-Key`. */
  readonly keyed: boolean;
  /** Needs no token. */
  readonly open: boolean;
}

/** A gateway, as one merchant's key. Make one and keep it: it holds the token. */
export class Turnpike {
  readonly payments = new Payments(this);
  readonly refunds = new Refunds(this);
  readonly invoices = new Invoices(this);
  readonly paymentLinks = new PaymentLinks(this);
  readonly checkout = new Checkout(this);
  readonly wallet = new Wallet(this);
  readonly rates = new Rates(this);
  readonly reports = new Reports(this);
  readonly webhooks = new Webhooks(this);
  readonly events = new Events(this);
  readonly merchant = new Merchant(this);
  /** Exists in the sandbox only. */
  readonly sandbox = new Sandbox(this);
  readonly live: Live;
  readonly #settings: Settings;
  readonly #tokens: TokenSource;

  constructor(options: TurnpikeOptions) {
    const settings = readOptions(options);
    const body = { keyId: options.apiKey ?? '', secret: options.apiSecret ?? '' };
    this.#settings = settings;
    this.#tokens = new TokenSource(() => {
      if (!options.apiKey) throw new TypeError('This call needs a key: make the client with apiKey and apiSecret');
      return this.call('createAccessToken', { body });
    });
    this.live = new Live({ settings, tokens: this.#tokens, client: this });
  }

  /**
   * Makes any call by the name of its operation, and returns its data without the envelope. Throws an
   * {@link ApiError} or a ConnectionError.
   */
  async call<N extends OperationName>(
    name: N,
    request: RequestOf<N> = {},
    options: CallOptions = {},
  ): Promise<DataOf<N>> {
    const { data } = JSON.parse(await this.text(name, request, options)) as { data: DataOf<N> };
    return data;
  }

  /** The same, as the text that was answered: a report in CSV is not JSON. */
  async text<N extends OperationName>(name: N, request: RequestOf<N> = {}, options: CallOptions = {}): Promise<string> {
    const operation: Operation = OPERATIONS[name];
    // Made here, before the first attempt, so that all attempts have the same.
    const key = operation.keyed ? (options.idempotencyKey ?? crypto.randomUUID()) : undefined;
    const send = (token?: string): Promise<string> =>
      sendWithRetries(this.#settings, {
        method: operation.method,
        path: withQuery(withIds(operation.path, request.path ?? {}), request.query ?? {}),
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(options.requestId !== undefined && { 'x-request-id': options.requestId }),
        },
        body: request.body === undefined ? undefined : JSON.stringify(request.body),
        isSafe: key !== undefined || /^(GET|PUT)$/.test(operation.method) || name === 'createAccessToken',
        timeoutMs: options.timeoutMs,
        signal: options.signal,
      });
    return operation.open ? send() : this.#withToken(send, options.signal);
  }

  /** Once more with a new token, if the old one was refused: it may have ended on the way, or its secret changed. */
  async #withToken(send: (token: string) => Promise<string>, signal?: AbortSignal): Promise<string> {
    const token = await this.#tokens.get(signal);
    try {
      return await send(token);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== '1002') throw error;
      this.#tokens.drop(token);
      return send(await this.#tokens.get(signal));
    }
  }
}

/** `{id}` of a path, encoded; throws where one is missing, as an empty one would be another call. */
function withIds(path: string, ids: Readonly<Record<string, string>>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    if (!id || /^\.{1,2}$/.test(id)) throw new TypeError(`${name} is not an id`);
    return encodeURIComponent(id);
  });
}

/** Lists are sent as repeated parameters; what is null or undefined is left out. */
function withQuery(path: string, query: object): string {
  const entries = Object.entries(query as Record<string, unknown>).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined && one !== null)
      .map((one): [string, string] => [name, String(one)]),
  );
  return entries.length === 0 ? path : `${path}?${new URLSearchParams(entries).toString()}`;
}
