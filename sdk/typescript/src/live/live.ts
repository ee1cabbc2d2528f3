// Live updates: streams that are connected again when they end, and go on where they were.

import { ApiError, ConnectionError } from '../errors.ts';
import { EVENT_ADDED, INVOICE_UPDATED, PAYMENT_UPDATED } from '../generated/subscriptions.ts';
import type { Settings } from '../options.ts';
import type { Caller } from '../resources/resource.ts';
import { pause } from '../retry.ts';
import type { TokenSource } from '../token.ts';
import type { DataOf, ItemOf } from '../types.ts';
import { openStream, type Subscription } from './stream.ts';

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 30_000;
/** However long the gateway, or a proxy before it, says to stay away. */
const MOST_TOLD_SECONDS = 3_600;
/** Refusals that pass: overload, too many calls, a fault; and a token that has ended, which is renewed. */
const PASSING = new Set(['9001', '9500', '9503', '1002']);

/** How to follow. */
export interface LiveOptions {
  /** Ends the stream; the loop then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

interface Deps {
  readonly settings: Settings;
  readonly tokens: TokenSource;
  readonly client: Caller;
}

/** Streams of what happens, as loops that do not end by themselves. Leave one with `break`, or by its signal. */
export class Live {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * The event log after a sequence number, in order, first what there is and then what comes: nothing is left out and
   * nothing comes twice, however often the connection breaks. Store the `sequence` of what you have processed, and
   * begin there after a restart. Without `after` it begins now.
   */
  async *events(
    options: LiveOptions & { readonly after?: number } = {},
  ): AsyncGenerator<ItemOf<'events'>, void, undefined> {
    let position = options.after ?? (await this.#newest(options.signal));
    const subscribe = (): Subscription => ({ query: EVENT_ADDED, variables: { after: position } });
    for await (const event of this.#follow<ItemOf<'events'>>(subscribe, options.signal)) {
      if (event.sequence <= position) continue;
      position = event.sequence;
      yield event;
    }
  }

  /** One payment: as it is, then every change. After an interruption it goes on with the state of then. */
  payment(id: string, options: LiveOptions = {}): AsyncGenerator<DataOf<'payment'>, void, undefined> {
    return this.#states(PAYMENT_UPDATED, id, options);
  }

  /** One invoice, in the same way. */
  invoice(id: string, options: LiveOptions = {}): AsyncGenerator<DataOf<'invoice'>, void, undefined> {
    return this.#states(INVOICE_UPDATED, id, options);
  }

  /** Leaves out what is as it was, which a new connection begins with. */
  async *#states<State>(query: string, id: string, { signal }: LiveOptions): AsyncGenerator<State, void, undefined> {
    let before = '';
    for await (const state of this.#follow<State>(() => ({ query, variables: { id } }), signal)) {
      const text = JSON.stringify(state);
      if (text !== before) yield state;
      before = text;
    }
  }

  /** Connection after connection. Ends by an error that waiting does not mend. */
  async *#follow<T>(subscribe: () => Subscription, signal?: AbortSignal): AsyncGenerator<T, void, undefined> {
    const { settings, tokens } = this.#deps;
    for (let failures = 0; ; failures += 1) {
      let token: string | null = null;
      let told: number | null = null;
      let isOpen = false;
      const opened = (): void => void (isOpen = true);
      try {
        token = await tokens.get(signal);
        for await (const result of openStream({ settings, token, opened, signal }, subscribe())) {
          failures = 0;
          yield result as T;
        }
      } catch (error) {
        if (token !== null && isRefusedToken(error)) tokens.drop(token);
        if (!isOpen && failures > 0 && isRefusedToken(error)) throw error;
        if (!mayReconnect(error)) throw error;
        if (error instanceof ApiError) told = error.retryAfter;
      }
      const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
      await pause(Math.min(told ?? 0, MOST_TOLD_SECONDS) * 1_000 + Math.random() * longest, signal);
    }
  }

  /**
   * The sequence of the newest event: 0 if there is none. The log is asked whether there is one after a number, with
   * numbers that double and then close in, so a long log takes a few more questions and is not read.
   */
  async #newest(signal?: AbortSignal): Promise<number> {
    const firstAfter = async (after: number): Promise<number | null> => {
      const { items } = await this.#deps.client.call('events', { query: { after, limit: 1 } }, { signal });
      return items[0]?.sequence ?? null;
    };
    let low = await firstAfter(0);
    if (low === null) return 0;
    let high = low;
    for (let step = 1, found: number | null = low; found !== null; step *= 2) {
      low = found;
      high = low + step;
      found = await firstAfter(high);
    }
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const found = await firstAfter(middle);
      if (found === null) high = middle;
      else low = found;
    }
    return low;
  }
}

const isRefusedToken = (error: unknown): boolean => error instanceof ApiError && error.code === '1002';

/** What passes is waited for, for as long as it takes. */
function mayReconnect(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof ApiError)) return false;
  return error.code === null ? error.status === 429 || error.status >= 500 : PASSING.has(error.code);
}
