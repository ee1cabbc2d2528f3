// The only connection of the console, and of the operator's pages, to the gateway: /graphql over HTTP and, for live
// updates, over a web socket. The session is in a cookie that this code cannot read.

import { cacheExchange, createClient, fetchExchange, mapExchange, subscriptionExchange, type Client } from 'urql';
import { createClient as createSocket } from 'graphql-ws';

/** The first error code (contract, section 8) of a failed operation; null on success and on network errors. */
export function errorCodeOf(error: { graphQLErrors: readonly { extensions?: object }[] } | undefined): string | null {
  const extensions = error?.graphQLErrors[0]?.extensions as { errorCode?: string } | undefined;
  return extensions?.errorCode ?? null;
}

/** Which cookie has the session: operators have one of their own, for their own pages. */
const SESSION = location.pathname.startsWith('/operator') ? 'operator' : 'cookie';

/** Sent with every request: that the session is in the cookie, and the accepted response type. */
const FETCH_OPTIONS = {
  credentials: 'same-origin',
  headers: { 'turnpike-session': SESSION, accept: 'application/graphql-response+json' },
} as const;

/** The context of a mutation that runs once, however often it is sent with the same key (contract, section 2). */
export function onlyOnce(key: string): { fetchOptions: RequestInit } {
  return { fetchOptions: { ...FETCH_OPTIONS, headers: { ...FETCH_OPTIONS.headers, 'idempotency-key': key } } };
}

/** A new key for `onlyOnce`. It also works on pages without HTTPS, which have no `crypto.randomUUID`. */
export const newOnceKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

interface ClientOptions {
  /** Called when an operation was refused because the user is not, or no longer, signed in. */
  readonly onSignedOut: () => void;
}

/** The connection of a signed-in page. Each sign-in gets a new one, so that no user sees data cached for another. */
export interface Connection {
  readonly client: Client;
  close(): void;
}

/** Whether changes are shown as they happen: nothing is followed, they arrive, or the socket is being made again. */
export type LiveState = 'off' | 'on' | 'lost';

let liveState: LiveState = 'off';
const followers = new Set<() => void>();

/** What the socket says of itself, for those who show it. */
export const live = {
  state: (): LiveState => liveState,
  follow(follower: () => void): () => void {
    followers.add(follower);
    return () => followers.delete(follower);
  },
};

function tellLive(next: LiveState): void {
  liveState = next;
  for (const follower of followers) follower();
}

/** A window event: the web socket was lost and has reconnected. */
export const RECONNECTED = 'turnpike-reconnected';

const LONGEST_WAIT_MS = 10_000;

/** The delay between connection and `RECONNECTED`: subscriptions are sent as soon as the socket is connected. */
const FOLLOWED_AFTER_MS = 250;

/** Exponential backoff with jitter, up to ten seconds; ends early when the browser is back online. */
function waitBeforeRetry(times: number): Promise<void> {
  const waitMs = Math.min(LONGEST_WAIT_MS, 500 * 2 ** times) * (0.75 + Math.random() / 2);
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer);
      removeEventListener('online', go);
      resolve();
    };
    const timer = setTimeout(go, waitMs);
    addEventListener('online', go);
  });
}

/** The turn of the last request that was made. */
let lastTurn: Promise<unknown> = Promise.resolve();

/** Of requests that are made at once, each is sent in a task of its own: a phone needs a frame's time for every one. */
const fetchInTurn: typeof fetch = async (input, init) => {
  lastTurn = lastTurn.then(() => new Promise((go) => setTimeout(go)));
  await lastTurn;
  return fetch(input, init);
};

export function connect({ onSignedOut }: ClientOptions): Connection {
  let isLost = false;
  const socket = createSocket({
    url: `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/graphql`,
    connectionParams: { session: 'cookie' },
    lazy: true,
    keepAlive: 20_000,
    retryAttempts: Infinity,
    retryWait: waitBeforeRetry,
    on: {
      // 1000: we closed it, because there is no active subscription.
      closed: (event) => {
        isLost = !(event instanceof CloseEvent && event.code === 1000);
        tellLive(isLost ? 'lost' : 'off');
      },
      connected: () => {
        // Updates were missed in the meantime: components with live data reload it once they are subscribed.
        if (isLost) setTimeout(() => dispatchEvent(new Event(RECONNECTED)), FOLLOWED_AFTER_MS);
        isLost = false;
        tellLive('on');
      },
    },
    // Signed out (4403): the next HTTP request reports it. Everything else is retried.
    shouldRetry: (event) => !(event instanceof CloseEvent && event.code === 4403),
  });
  const client = createClient({
    url: '/graphql',
    preferGetMethod: false,
    fetchOptions: FETCH_OPTIONS,
    fetch: fetchInTurn,
    exchanges: [
      mapExchange({
        onError: (error) => {
          if (errorCodeOf(error) === '1001') onSignedOut();
        },
      }),
      cacheExchange,
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query = '', variables }) => ({
          subscribe: (sink) => ({
            unsubscribe: socket.subscribe(
              { query, variables: variables as Record<string, unknown> },
              { ...sink, next: (result) => sink.next(result as never) },
            ),
          }),
        }),
      }),
    ],
    requestPolicy: 'cache-and-network',
  });
  return { client, close: () => void socket.dispose() };
}
