// Callers of a deployment, as merchants are: REST, GraphQL and web sockets that subscribe, in small numbers, for as
// long as a test runs. Everything that they meet is counted.

import { setTimeout as rest } from 'node:timers/promises';
import { Agent, request } from 'node:http';
import { Agent as SecureAgent, request as requestSecurely } from 'node:https';
import { text } from 'node:stream/consumers';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { TLS, USDT_PAYMENT } from '../../support/clients.ts';
import { until } from '../../support/until.ts';

export interface Figures {
  /** Calls that were answered with what they asked for. */
  readonly answered: number;
  /** All others, by their status or by the system's error code. */
  readonly errors: Readonly<Record<string, number>>;
  /** How often sockets were closed, by code; the clients connected again each time. */
  readonly closed: Readonly<Record<string, number>>;
}

export interface Load {
  figures(): Figures;
  /** Resolves when so many more calls have been answered. */
  untilAnswered(more: number): Promise<void>;
  /** Resolves when another call has met an error. */
  untilError(): Promise<void>;
  /** Cancels payments until every subscription has told of one. */
  untilAllTold(): Promise<void>;
  /** Ends all callers. */
  stop(): Promise<void>;
}

interface LoadOptions {
  readonly url: string;
  readonly token: string;
  /** Whether callers keep their connections from one call to the next; as most do, by default. */
  readonly keepAlive?: boolean;
}

const CALLERS = 4;
const SUBSCRIBERS = 10;
/** Between two calls of a caller, so that the machine is busy and not overwhelmed. */
const PAUSE_MS = 15;
const LONG_MS = 180_000;
/** How long each cancellation is waited for. */
const TOLD_WITHIN_MS = 500;
/** A call that takes longer is an error, too. */
const CALL_WITHIN_MS = 60_000;
const LIST = JSON.stringify({ query: '{ payments(first: 5) { nodes { id status amount } } }' });
const CREATE = JSON.stringify({
  query: `mutation { createPayment(input: { amount: "25", currency: "USDT", network: "ETH" }) { id address } }`,
});

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** What the body of a right answer matches. */
  readonly right: RegExp;
}

const REST_CALLS: readonly Call[] = [
  { method: 'POST', path: '/api/v1/payments', body: JSON.stringify(USDT_PAYMENT), right: /"orderId"/ },
  { method: 'GET', path: '/api/v1/payments?limit=5', right: /"items"/ },
  { method: 'GET', path: '/api/v1/wallet/balance', right: /"balances"/ },
];
const GRAPHQL_CALLS: readonly Call[] = [
  { method: 'POST', path: '/graphql', body: CREATE, right: /"address":"0x/ },
  { method: 'POST', path: '/graphql', body: LIST, right: /"nodes":\[/ },
];

export function startLoad({ url, token, keepAlive = true }: LoadOptions): Load {
  const isSecure = url.startsWith('https:');
  const options = { keepAlive, maxSockets: 2 * CALLERS };
  const agent = isSecure ? new SecureAgent({ ...options, ...TLS }) : new Agent(options);
  const [errors, closed]: [Record<string, number>, Record<string, number>] = [{}, {}];
  const add = (counts: Record<string, number>, key: string) => (counts[key] = (counts[key] ?? 0) + 1);
  let answered = 0;
  let isOver = false;

  async function call({ method, path, body, right }: Call): Promise<void> {
    try {
      const { status, answer } = await exchange(method, path, body);
      if (status >= 200 && status < 300 && right.test(answer)) answered += 1;
      else add(errors, `HTTP ${String(status)}`);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      add(errors, code ?? message);
    }
  }

  function exchange(method: string, path: string, body?: string): Promise<{ status: number; answer: string }> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const signal = AbortSignal.timeout(CALL_WITHIN_MS);
      const outgoing = (isSecure ? requestSecurely : request)(
        url + path,
        { method, agent, signal, headers: body === undefined ? { authorization: headers.authorization } : headers },
        (incoming) => {
          text(incoming).then((answer) => resolve({ status: incoming.statusCode ?? 0, answer }), reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  const callers = [REST_CALLS, GRAPHQL_CALLS].flatMap((calls) =>
    Array.from({ length: CALLERS }, async (_, nth) => {
      for (let turn = nth; !isOver; turn += 1) {
        const next = calls[turn % calls.length];
        if (next) await call(next);
        await rest(PAUSE_MS);
      }
    }),
  );
  const subscribers = Array.from({ length: SUBSCRIBERS }, () =>
    subscribe({ url, token, onClosed: (code) => isOver || add(closed, String(code)) }),
  );

  return {
    figures: () => ({ answered, errors: { ...errors }, closed: { ...closed } }),
    untilAnswered: async (more) => {
      const wanted = answered + more;
      await until(() => answered >= wanted, LONG_MS);
    },
    untilError: async () => {
      const count = () => Object.values(errors).reduce((sum, each) => sum + each, 0);
      const before = count();
      await until(() => count() > before, LONG_MS);
    },
    untilAllTold: async () => {
      const before = subscribers.map(({ told }) => told.size);
      const isTold = () => subscribers.every(({ told }, nth) => told.size > (before[nth] ?? 0));
      // A subscription that is only just opening does not tell of what was before, so there are several.
      await until(async () => {
        const created = await exchange('POST', '/api/v1/payments', JSON.stringify(USDT_PAYMENT)).catch(() => null);
        const id = created && /"orderId":"(\w+)"/.exec(created.answer)?.[1];
        if (id) await exchange('POST', `/api/v1/payments/${id}/cancel`).catch(() => undefined);
        await rest(TOLD_WITHIN_MS);
        return isTold();
      }, LONG_MS);
    },
    stop: async () => {
      isOver = true;
      await Promise.all(callers);
      await Promise.all(subscribers.map(({ stop }) => stop()));
      agent.destroy();
    },
  };
}

interface Subscriber {
  readonly told: ReadonlySet<string>;
  stop(): Promise<void>;
}

/** Subscribes to a merchant's payments with the protocol's own client, which connects again by itself. */
function subscribe({ url, token, onClosed }: LoadOptions & { onClosed: (code: number) => void }): Subscriber {
  const told = new Set<string>();
  class Socket extends WebSocket {
    constructor(address: string, protocols: string) {
      super(address, protocols, url.startsWith('https:') ? TLS : {});
    }
  }
  const client = createClient({
    ...{ url: `${url.replace(/^http/, 'ws')}/graphql`, webSocketImpl: Socket, lazy: false },
    ...{ retryAttempts: Infinity, shouldRetry: () => true, retryWait: () => rest(100) },
    connectionParams: { authorization: `Bearer ${token}` },
    on: { closed: (event) => onClosed((event as { code: number }).code) },
  });
  client.subscribe<{ paymentUpdated: { id: string } }>(
    { query: 'subscription { paymentUpdated { id status } }' },
    {
      next: ({ data }) => void told.add(data?.paymentUpdated.id ?? ''),
      error: () => undefined,
      complete: () => undefined,
    },
  );
  return { told, stop: async () => client.dispose() };
}
