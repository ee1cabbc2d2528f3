// The web-socket server on a real HTTP server with the product's own schema and database, and a client that keeps what
// it receives.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, type ClientOptions } from 'ws';
import { createAccess } from '../../../../src/access/caller.ts';
import { issueToken } from '../../../../src/access/tokens.ts';
import { createPaymentDefaults } from '../../../../src/domain/merchants/payment-defaults.ts';
import { createSignInAttempts } from '../../../../src/domain/merchants/sign-in-attempts.ts';
import { createDatabaseClock, type Clock } from '../../../../src/database/clock.ts';
import { createEventNumbering } from '../../../../src/dispatch/outbox/number-events.ts';
import { createUpdates, type UpdatesService } from '../../../../src/dispatch/subscriptions/updates.ts';
import { createLoop } from '../../../../src/loop.ts';
import { buildGatewaySchema } from '../../../../src/resolvers/schema.ts';
import { refusalOfVariables } from '../../../../src/resolvers/operation/validation.ts';
import { createEngine, type Engine } from '../../../../src/graphql/engine.ts';
import { createConnectionRegistry } from '../../../../src/server/graphql/connections/registry.ts';
import { createOriginRules } from '../../../../src/server/admission/allowed-origins.ts';
import type { SocketLimits } from '../../../../src/server/graphql/connections/limits.ts';
import {
  createWebSocketServer,
  type GatewayWebSockets,
  type WebSocketOptions,
} from '../../../../src/server/graphql/ws/server.ts';
import { PERMISSIONS, type Permission } from '../../../../src/values/permission.ts';
import { deriveSecrets, newKeyPair } from '../../../../src/values/secrets/keys.ts';
import { log, openLiveFixture, type LiveFixture } from '../../../dispatch/subscriptions/setup.fixture.ts';

/** Parsed JSON, not typed: the assertions of the tests check it. */
export type Json = ReturnType<typeof JSON.parse>;

export const OWN_ORIGIN = 'https://pay.example';
export const PAGES = createOriginRules({
  ...{ ownUrls: [OWN_ORIGIN], corsOrigins: [], corsLoopback: false, allowedHosts: [] },
  ...{ refusesPages: false, refusesHosts: false },
});
const PROTOCOLS = ['graphql-transport-ws'];

export interface TestKey {
  readonly keyId: string;
  readonly token: string;
}

/** A clock that a test can stop, so that nothing expires before the test is ready for it. */
export interface HeldClock extends Clock {
  hold(): void;
  /** Continues from where it was stopped. */
  release(): void;
}

/** Limits so generous that a slow machine, or a client that a test has paused, closes nothing. */
export const PATIENT_LIMITS: Partial<SocketLimits> = { initMs: 60_000, pingMs: 600_000 };

export interface SocketFixture extends LiveFixture {
  readonly clock: HeldClock;
  readonly live: UpdatesService;
  readonly engine: Engine;
  /** Starts another server on the same schema. */
  serve(options?: ServeOptions): Promise<TestServer>;
  newKey(merchantId: string, permissions?: readonly Permission[], ttlSeconds?: number): Promise<TestKey>;
}

type ServeOptions = Partial<WebSocketOptions> & {
  socketLimits?: Partial<SocketLimits>;
  /** Replaces the engine's `execute`. */
  execute?: Engine['execute'];
  introspection?: boolean;
};

export interface TestServer {
  readonly url: string;
  readonly sockets: GatewayWebSockets;
  stop(): Promise<void>;
}

/** Makes all that; `mostWaiting` as in createUpdates. */
export async function openSocketFixture(mostWaiting: number): Promise<SocketFixture> {
  const fixture = await openLiveFixture();
  const { db } = fixture;
  const clock = holdable(await createDatabaseClock(db.em));
  const secrets = deriveSecrets('a secret of at least thirty-two characters');
  const environment = 'sandbox' as const;
  const live = createUpdates(fixture, { mostWaiting });
  const loops = [createEventNumbering(fixture), live.worker, live.deliveryWorker].map((worker) =>
    createLoop(worker, { idleMs: 5, log }),
  );
  const signals = {
    events: () => undefined,
    chain: () => undefined,
    payouts: () => undefined,
    deliveries: () => undefined,
  };
  const chains = new Map();
  const deps = { ...fixture, clock, secrets, environment, chains, signals, log, webhookAllowPrivate: true };
  const bySql = () => Promise.reject(new Error('These tests make payments by SQL'));
  const schema = buildGatewaySchema(
    {
      ...{ deps, updates: live, createPayment: bySql, createInvoice: bySql, chooseAsset: bySql, checkoutOpenLimit: 1 },
      ...{ defaults: createPaymentDefaults(deps), tokenTtlSeconds: 60 },
      ...{ simulations: new Map(), mainNetworks: new Set(), receiver: null, flushApiLog: () => Promise.resolve() },
      flushKeyUses: () => Promise.resolve(),
      ...{
        registration: 'open',
        site: { id: 'localhost', origin: 'http://localhost' },
        mail: null,
        provider: null,
        hasMailbox: false,
        payoutHoldMs: 0,
        operators: {
          ...{ addresses: null, stuckAfterMinutes: 60, coldAddresses: new Map() },
          approvalAbove: { listed: new Map(), others: null },
        },
        keysMax: 100,
        attempts: createSignInAttempts(deps, { byAddress: false, asksMail: false }),
      },
    },
    environment,
  );
  const engineOf = (introspection: boolean) =>
    createEngine({ schema, introspection, refusalOfVariables: (...asked) => refusalOfVariables(schema, ...asked) });
  const engine = engineOf(false);

  return {
    ...fixture,
    live,
    engine,
    clock,
    async serve({ socketLimits = {}, execute, introspection = false, ...options } = {}) {
      const access = createAccess({ em: db.em, clock, secrets, environment });
      const clients = createConnectionRegistry({
        access,
        clock,
        log,
        socketLimits: { ...PATIENT_LIMITS, ...socketLimits },
      });
      const sockets = createWebSocketServer({
        engine: { ...(introspection ? engineOf(true) : engine), ...(execute && { execute }) },
        inTurn: (_context, work) => work(),
        clients,
        refusalOfPage: PAGES.refusalOfSocket,
        log,
        ...options,
      });
      const server = createServer();
      server.on('upgrade', sockets.handleUpgrade);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const stop = async () => {
        await sockets.close();
        clients.stop();
        await new Promise((resolve) => server.close(resolve));
      };
      return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`, sockets, stop };
    },
    async newKey(merchantId, permissions = PERMISSIONS, ttlSeconds = 3_600) {
      const { keyId } = newKeyPair(environment);
      await fixture.sql(
        `insert into api_key (key_id, merchant_id, secret_digest, name, permissions, created_at)
         values ($1, $2, convert_to($1, 'UTF8'), 'Test', $3, now())`,
        [keyId, merchantId, permissions],
      );
      const claims = { merchantId, keyId, sessionId: null, permissions };
      const { accessToken } = await issueToken({ secrets, environment, ttlSeconds }, claims, clock.now());
      return { keyId, token: accessToken };
    },
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
      await fixture.stop();
    },
  };
}

function holdable(clock: Clock): HeldClock {
  let heldMs: number | null = null;
  let behindMs = 0;
  const nowMs = () => heldMs ?? clock.now().getTime() - behindMs;
  return {
    now: () => new Date(nowMs()),
    hold: () => void (heldMs = nowMs()),
    release() {
      behindMs = clock.now().getTime() - nowMs();
      heldMs = null;
    },
  };
}

export interface TestClient {
  readonly socket: WebSocket;
  /** The request id of its upgrade's answer. */
  readonly requestId: string;
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  send(message: Json): void;
  /** Starts an operation under an id. */
  subscribe(id: string, query: string, variables?: Json): void;
  /** The next message for an operation (`next`, `error`, `complete`); waits for it. Throws when the socket closes. */
  next(id: string): Promise<Json>;
  /** Runs one operation to its first message. */
  run(query: string, variables?: Json): Promise<Json>;
}

/** Connects without connection_init. Rejects with `Unexpected server response: <status>` when refused. */
export async function connect(url: string, options: ClientOptions = {}, protocols = PROTOCOLS): Promise<TestClient> {
  const socket = new WebSocket(url, protocols, options);
  const waiting = new Map<string, Json[]>();
  const wanted = new Map<string, (message: Json) => void>();
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => (fail = reject));
  failed.catch(() => undefined);
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.on('error', () => undefined);
  socket.on('close', (code) => fail(new Error(`The socket was closed with ${code}`)));
  socket.on('message', (data: Buffer) => {
    const message: Json = JSON.parse(String(data));
    const key = String(message.id ?? message.type);
    const resolve = wanted.get(key);
    wanted.delete(key);
    if (resolve) resolve(message);
    else waiting.set(key, [...(waiting.get(key) ?? []), message]);
  });
  let requestId = '';
  socket.once('upgrade', (response) => (requestId = String(response.headers['x-request-id'])));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });

  let count = 0;
  const send = (message: Json) => socket.send(JSON.stringify(message));
  const next = (key: string): Promise<Json> => {
    const [first, ...rest] = waiting.get(key) ?? [];
    waiting.set(key, rest);
    if (first !== undefined) return Promise.resolve(first);
    return Promise.race([new Promise((resolve) => wanted.set(key, resolve)), failed]);
  };
  const subscribe = (id: string, query: string, variables?: Json) =>
    send({ type: 'subscribe', id, payload: { query, variables } });
  return {
    socket,
    requestId,
    closed,
    send,
    subscribe,
    next,
    run: (query, variables) => {
      const id = `run-${(count += 1)}`;
      subscribe(id, query, variables);
      return next(id);
    },
  };
}

/** Connects, and completes connection_init; with a token if one is given. */
export async function connectAs(url: string, token?: string, options: ClientOptions = {}): Promise<TestClient> {
  const client = await connect(url, options);
  client.send({ type: 'connection_init', payload: token === undefined ? {} : { authorization: `Bearer ${token}` } });
  await client.next('connection_ack');
  return client;
}
