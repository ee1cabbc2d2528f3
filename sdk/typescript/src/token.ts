// The access token: exchanged once for all calls that wait for it, and renewed before it ends.

import { reasonOf } from './retry.ts';

/** An exchange's answer. */
export interface IssuedToken {
  readonly accessToken: string;
  /** In seconds. */
  readonly expiresIn: number;
}

/** A token is renewed this long before its end, or in the last tenth of its time if that is less. */
const LEAD_MS = 300_000;

/** Keeps one token. `exchange` is called by one caller at a time. */
export class TokenSource {
  readonly #exchange: () => Promise<IssuedToken>;
  #current: { readonly token: string; readonly renewAt: number } | null = null;
  #pending: Promise<string> | null = null;

  constructor(exchange: () => Promise<IssuedToken>) {
    this.#exchange = exchange;
  }

  /** The token to send. A caller whose signal is aborted leaves; the others go on waiting. */
  get(signal?: AbortSignal): Promise<string> {
    if (this.#current && Date.now() < this.#current.renewAt) return Promise.resolve(this.#current.token);
    this.#pending ??= this.#renew().finally(() => (this.#pending = null));
    return signal ? orAborted(this.#pending, signal) : this.#pending;
  }

  /** Forgets a token that was refused, unless a newer one has taken its place already. */
  drop(token: string): void {
    if (this.#current?.token === token) this.#current = null;
  }

  async #renew(): Promise<string> {
    const from = Date.now();
    const { accessToken, expiresIn } = await this.#exchange();
    const lifeMs = expiresIn * 1_000;
    this.#current = { token: accessToken, renewAt: from + lifeMs - Math.min(LEAD_MS, lifeMs / 10) };
    return accessToken;
  }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(reasonOf(signal));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
