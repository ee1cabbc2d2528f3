// Live updates over a web socket, with the client of the graphql-ws package.

import { createClient, type FormattedExecutionResult } from 'graphql-ws';
import { WebSocket } from 'ws';
import { inspectBriefly } from './expect.ts';
import { waitUntil } from './wait.ts';

/** The updates that a subscription has delivered so far. */
export interface Updates<Update> {
  readonly all: readonly Update[];
  /** The first update for which `isIt` holds, past ones included. Throws `Difference` if none comes. */
  until(what: string, isIt: (update: Update) => boolean): Promise<Update>;
}

export interface LiveSocket {
  /** Subscribes to the one field of the document. `onUpdate` is called with each update as it arrives. */
  follow<Update>(document: string, variables: object, onUpdate?: (update: Update) => void): Updates<Update>;
  close(): Promise<void>;
}

/**
 * Opens a socket to /graphql, or to another path, and waits until it is acknowledged. Without a token it can use public
 * fields only.
 */
export async function openLiveSocket(baseUrl: string, token: string | null, path = '/graphql'): Promise<LiveSocket> {
  const faults: unknown[] = [];
  const failIfAny = () => {
    if (faults.length > 0) throw new Error(`The web socket failed: ${inspectBriefly(faults[0])}`);
  };
  let isOpen = false;
  const client = createClient({
    url: `${baseUrl.replace(/^http/, 'ws')}${path}`,
    webSocketImpl: WebSocket,
    ...(token === null ? {} : { connectionParams: { authorization: `Bearer ${token}` } }),
    lazy: false,
    retryAttempts: 0,
    onNonLazyError: (fault) => void faults.push(fault),
    on: { connected: () => (isOpen = true) },
  });
  await waitUntil('the web socket to be acknowledged', () => {
    failIfAny();
    return isOpen ? client : null;
  });

  return {
    follow<Update>(document: string, variables: object, onUpdate?: (update: Update) => void): Updates<Update> {
      const all: Update[] = [];
      const next = ({ data, errors }: FormattedExecutionResult<Record<string, unknown>, unknown>) => {
        const [update] = Object.values(data ?? {}) as Update[];
        if (errors !== undefined || update === undefined) {
          faults.push(errors ?? 'an update without data');
          return;
        }
        all.push(update);
        onUpdate?.(update);
      };
      const payload = { query: document, variables: { ...variables } };
      client.subscribe(payload, { next, error: (fault) => void faults.push(fault), complete: () => undefined });
      const until = (what: string, isIt: (update: Update) => boolean) => {
        const look = () => (failIfAny(), all.find(isIt));
        return waitUntil(`the live update ${what}`, look, { instead: () => all });
      };
      return { all, until };
    },
    close: async () => client.dispose(),
  };
}
