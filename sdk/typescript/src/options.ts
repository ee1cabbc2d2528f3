// What a client is made with, and what one call may say besides its input.

/** How to reach a gateway, and as whom. */
export interface TurnpikeOptions {
  /** Where the gateway is, such as `https://pay.example`. Plain HTTP is for this machine only. */
  readonly baseUrl: string;
  /** The key's public id, `pk_test_…` or `pk_live_…`. Without it only what is public can be called. */
  readonly apiKey?: string | undefined;
  /** The key's secret, `sk_test_…` or `sk_live_…`. Never put one into a browser. */
  readonly apiSecret?: string | null | undefined;
  /** How long one attempt may take, its answer included; 30 seconds by default. */
  readonly timeoutMs?: number;
  /** How often a call is repeated after its first attempt; 3 by default, 0 for never. */
  readonly maxRetries?: number;
  /** The longest `Retry-After` that is waited for; with a longer one the error is thrown. 60 seconds by default. */
  readonly maxRetryAfterMs?: number;
  /** Allows plain HTTP to other machines: inside a cluster, say. Keys and answers can then be read on the way. */
  readonly allowInsecureHttp?: boolean;
  /** Another `fetch`: one with a proxy, or one that logs. */
  readonly fetch?: typeof globalThis.fetch;
}

/** What one call may say besides its input. */
export interface CallOptions {
  /** Ends the call and all its repetitions; the call then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** In place of the client's own. */
  readonly timeoutMs?: number | undefined;
  /**
   * 1 to 255 printable ASCII characters. One is made for each creating call and kept over its repetitions; give one of
   * your own, such as the order's number, if the call is to happen once over restarts of your program as well.
   */
  readonly idempotencyKey?: string | undefined;
  /** A trace id of your own (`[A-Za-z0-9_-]{1,64}`), which the gateway's logs and errors repeat. */
  readonly requestId?: string | undefined;
}

/** The options with their defaults. */
export interface Settings {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxRetryAfterMs: number;
  readonly fetch: typeof globalThis.fetch;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Checks the options; throws a TypeError that says what is wrong. */
export function readOptions(options: TurnpikeOptions): Settings {
  const url = parseUrl(options.baseUrl);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new TypeError('baseUrl is no http(s) URL');
  if (url.username || url.password) throw new TypeError('baseUrl must not hold a user name or password');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && !options.allowInsecureHttp)
    throw new TypeError('baseUrl is plain HTTP to another machine: use https, or allowInsecureHttp');
  if (!options.apiKey !== !options.apiSecret) throw new TypeError('apiKey and apiSecret go together');
  return {
    baseUrl: `${url.origin}${url.pathname}`.replace(/\/$/, ''),
    timeoutMs: options.timeoutMs ?? 30_000,
    maxRetries: options.maxRetries ?? 3,
    maxRetryAfterMs: options.maxRetryAfterMs ?? 60_000,
    // Called as a function of its own: browsers refuse a fetch that is called as a method of another object.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  };
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch {
    throw new TypeError('baseUrl is no URL');
  }
}
