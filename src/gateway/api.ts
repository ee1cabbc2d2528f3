// Starts the api role: REST, GraphQL over HTTP, web sockets and event streams, the pages, health and metrics.

import type { FastifyInstance } from 'fastify';
import { createAccess } from '../access/caller.ts';
import { createOperatorAccess } from '../access/operators.ts';
import { createKeyUses, createSessionUses } from '../access/uses.ts';
import type { Config } from '../config/config.ts';
import { readWebhookSecret } from '../domain/webhooks/rotate-secret.ts';
import { createImages } from '../egress/images.ts';
import { createApiLog } from '../domain/merchants/api-log.ts';
import type { Deps } from '../domain/deps.ts';
import { createSignInAttempts } from '../domain/merchants/sign-in-attempts.ts';
import { buildGatewaySchema } from '../resolvers/schema.ts';
import type { Services } from '../resolvers/services.ts';
import { refusalOfVariables } from '../resolvers/operation/validation.ts';
import { createEngine, type Engine } from '../graphql/engine.ts';
import { observeEngine } from '../graphql/observed-engine.ts';
import { createClientOf } from '../server/graphql/ws/client-address.ts';
import { openCertificate, type Certificate } from '../server/certificate.ts';
import { listenTogether } from '../server/listen.ts';
import { registerEventStreams } from '../server/graphql/sse/routes.ts';
import { createFieldTurns } from '../server/admission/field-turns.ts';
import { createLargeBodies } from '../server/admission/large-bodies.ts';
import { registerGraphQL } from '../server/graphql/http.ts';
import type { Metrics } from '../server/metrics/health.ts';
import { closeGracefully, createHttpServer, endConnections } from '../server/http-server.ts';
import { onUpgrade } from '../server/upgrades.ts';
import type { RateLimits } from '../server/admission/rate-limit.ts';
import { createIdentify } from '../server/admission/authenticate.ts';
import { createConnectionRegistry, type ConnectionRegistry } from '../server/graphql/connections/registry.ts';
import { createOriginRules } from '../server/admission/allowed-origins.ts';
import { measureFields } from '../graphql/measured-fields.ts';
import { compressAnswers } from '../server/compression.ts';
import { registerLoadShedding, type LoadShedding } from '../server/admission/load-shedding.ts';
import { createUnknown } from '../server/rest-routes.ts';
import { boundUnreadAnswers } from '../server/admission/unread-answers.ts';
import { createWebSocketServer } from '../server/graphql/ws/server.ts';
import { createWebhookReceiver } from '../server/pages/webhook-receiver.ts';
import { limitConnectionsBy, openRateLimits, originOptions, socketLimitsOf } from './admission.ts';
import { watchCertificate, watchRedis } from './api-metrics.ts';
import { watchApi } from './metrics.ts';
import { createCallRecorder } from './record-calls.ts';
import type { Drain } from './drain.ts';
import { openProvider, servePages } from './provider/open-provider.ts';
import { registerEverything, routesOf } from './routes/register-routes.ts';
import { createServices } from './services.ts';
import type { GatewayPatience, Loops, Stops } from './lifecycle.ts';

interface ApiParts {
  readonly config: Config;
  readonly deps: Services['deps'];
  readonly updates: Services['updates'];
  readonly simulations: Services['simulations'];
  readonly loops: Loops;
  readonly stops: Stops;
  readonly metrics: Metrics;
  readonly drain: Drain;
  readonly patience: GatewayPatience | undefined;
}

/** Starts everything that the api role serves. */
export async function startApi(parts: ApiParts): Promise<void> {
  const { config, deps, loops, stops, metrics, drain } = parts;
  const { environment, log, clock } = deps;
  const receiving = openReceiver(config, deps);
  const apiLog = createApiLog(deps, ({ status, errorCode }) => metrics.countAnonymous(status, errorCode));
  const attempts = createSignInAttempts(deps, signInOptionsOf(config));
  const { keyUses, flushUses, onUse } = recordUses(parts);
  const provider = openProvider(config, deps, stops);
  const services = createServices({ ...parts, apiLog, attempts, keyUses, provider, receiver: receiving?.receiver });
  const schema = buildGatewaySchema(services, environment);
  measureFields(schema);
  const plain = createEngine({
    schema,
    introspection: config.graphqlIntrospection,
    takeTurn: createFieldTurns(),
    refusalOfVariables: (...asked) => refusalOfVariables(schema, ...asked),
  });
  const engine = observeEngine(plain, metrics.countOperation);
  const { limits, redis } = await openRateLimits(config, deps, stops);
  const { access, identify } = openAccess(parts, { services, onUse, limits });
  loops.start(apiLog, { idleMs: 500 });
  loops.start(attempts, { idleMs: 60_000 });

  const origins = createOriginRules(originOptions(config));
  const certificate = config.tls && openCertificate(config.tls, log);
  const server = openServer(parts, { apiLog, identify, origins, certificate });
  const connections = limitConnectionsBy(config, server.server);
  const overload = registerLoadShedding(server);
  receiving?.register(server, { identify });
  if (provider) servePages(provider, server, { identify, services });
  const logos = createImages({ allowPrivate: config.webhookAllowPrivate, log });
  const largeBodies = createLargeBodies();
  registerEverything({ config, deps, loops, engine, server, identify, largeBodies, metrics, drain, logos });
  const socketLimits = { ...socketLimitsOf(config), ...parts.patience?.sockets };
  const clients = createConnectionRegistry({ access, clock, log, socketLimits });
  boundUnreadAnswers(server, clients.unread);
  const subscriptions = serveSubscriptions({
    ...{ config, deps, engine, server, identify, limits, origins, clients, apiLog, inTurn: overload.inTurn },
  });
  drain.onBegin((graceMs) => {
    endConnections(server);
    subscriptions.drain(graceMs);
  });
  watchRedis(metrics.registry, redis);
  if (certificate) loops.start(certificate.follow(server.server), { idleMs: 60_000 });
  watchCertificate(metrics.registry, certificate);
  watchApi(metrics.registry, { ...subscriptions.figures, load: overload.figures, connections, clients });
  const graphql = await registerGraphQL(server, { engine, identify, enterLarge: overload.enterLarge, largeBodies });
  const listeners = await listenTogether(server, { host: config.host, port: config.port });
  // Runs after the last call is answered: writes what was recorded since the last run of the loops, which end
  // afterwards.
  stops.push(async () => {
    await apiLog.flush();
    await flushUses();
  });
  stops.push(() => logos.close());
  stops.push(() => graphql.stop());
  stops.push(() => closeGracefully(server, listeners));
  stops.push(async () => {
    await subscriptions.close();
    clients.stop();
  });
}

/** Codes are mailed where somebody can read them. */
const signInOptionsOf = ({ rateLimit, smtp, hasMailbox }: Config) => ({
  byAddress: rateLimit.authPerMinute > 0,
  asksMail: smtp !== null || hasMailbox,
});

/** Records when keys and sessions are used. */
function recordUses({ deps: { db, clock }, loops }: ApiParts) {
  const keyUses = createKeyUses({ em: db.em, clock });
  const sessionUses = createSessionUses({ em: db.em, clock });
  loops.start(keyUses, { idleMs: 1_000 });
  loops.start(sessionUses, { idleMs: 60_000 });
  const flushUses = async () => void (await Promise.all([keyUses.flush(), sessionUses.flush()]));
  return { keyUses, flushUses, onUse: { onKeyUse: keyUses.note, onSessionUse: sessionUses.note } };
}

interface AccessParts {
  readonly services: Pick<Services, 'operators'>;
  readonly onUse: ReturnType<typeof recordUses>['onUse'];
  readonly limits: RateLimits;
}

/** Opens the checks of who calls: merchants' keys and people, and operators. */
function openAccess({ config, deps }: ApiParts, { services, onUse, limits }: AccessParts) {
  const { db, clock, secrets, environment } = deps;
  const asked = { em: db.em, clock, secrets, ...onUse };
  const operators = createOperatorAccess({ ...asked, ...services.operators });
  const access = createAccess({ ...asked, environment });
  const ownOrigin = new URL(config.baseUrl).origin;
  return { access, identify: createIdentify({ access, operators, limits, ownOrigin }) };
}

interface ServerParts {
  readonly apiLog: ReturnType<typeof createApiLog>;
  readonly identify: ReturnType<typeof createIdentify>;
  readonly origins: ReturnType<typeof createOriginRules>;
  readonly certificate: Certificate | null;
}

function openServer(
  { config, deps: { environment, log, clock }, metrics, patience }: ApiParts,
  { apiLog, identify, origins, certificate }: ServerParts,
): FastifyInstance {
  const server = createHttpServer({
    ...{ log, trustProxy: config.trustProxy, httpsOnly: environment === 'live', origins },
    tls: certificate?.pair() ?? null,
    ...(patience && { patience: patience.callers }),
    onAnswered: createCallRecorder({ metrics, apiLog, clock }),
    onUnknown: createUnknown(identify, routesOf(config)),
  });
  compressAnswers(server);
  return server;
}

/** The sandbox's own receiver of webhooks; null in live. */
function openReceiver({ environment, baseUrl }: Config, { clock, db }: Deps) {
  const readSecret = (merchantId: string) => readWebhookSecret(db.em, merchantId);
  return environment === 'sandbox' ? createWebhookReceiver({ clock, baseUrl, readSecret }) : null;
}

interface SubscriptionParts {
  readonly apiLog: ReturnType<typeof createApiLog>;
  readonly config: Config;
  readonly deps: Deps;
  readonly engine: Engine;
  readonly server: FastifyInstance;
  readonly identify: ReturnType<typeof createIdentify>;
  readonly limits: RateLimits;
  readonly origins: ReturnType<typeof createOriginRules>;
  readonly clients: ConnectionRegistry;
  readonly inTurn: LoadShedding['inTurn'];
}

/** Serves subscriptions over event streams and web sockets. */
function serveSubscriptions(parts: SubscriptionParts) {
  const { config, deps, engine, server, identify, limits, origins, clients, apiLog, inTurn } = parts;
  const { trustProxy } = config;
  const { environment, log, clock } = deps;
  const operations = { engine, inTurn, clients, log };
  const streams = registerEventStreams(server, { ...operations, identify });
  const sockets = createWebSocketServer({
    ...operations,
    limits,
    refusalOfPage: origins.refusalOfSocket,
    clientOf: createClientOf({
      trustProxy,
      httpsOnly: environment === 'live',
      ownOrigin: new URL(config.baseUrl).origin,
    }),
    onAnswered: ({ caller, ...call }) =>
      apiLog.record({
        ...{ ...call, merchantId: caller?.merchantId ?? null, keyId: caller?.keyId ?? null },
        ...{ at: clock.now(), method: 'WS', path: '/graphql' },
      }),
  });
  onUpgrade(server, sockets.handleUpgrade);
  return {
    figures: { sockets: sockets.size, streams: streams.size },
    drain: (graceMs: number) => {
      sockets.drain(graceMs);
      streams.drain(graceMs);
    },
    close: async () => void (await Promise.all([sockets.close(), streams.close()])),
  };
}
