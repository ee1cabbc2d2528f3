// The faces of a gateway: REST, GraphQL over HTTP and sockets, the payment page, health and metrics.

import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { createAccess, type OperationContext } from '../access/caller.ts';
import { createKeyUses } from '../access/key-uses.ts';
import { isMainChain } from '../chain/open-adapter.ts';
import type { Config } from '../config/config.ts';
import { query } from '../database/connection.ts';
import { createImages } from '../dispatch/egress/images.ts';
import { createApiLog, loggedPath } from '../domain/merchants/api-log.ts';
import { createPaymentCreator } from '../domain/payments/create-payment.ts';
import type { Deps } from '../domain/deps.ts';
import { createSignInAttempts } from '../domain/merchants/sign-in-attempts.ts';
import { readHaltedNetworks } from '../domain/witness/witness.ts';
import { createPaymentDefaults } from '../domain/merchants/payment-defaults.ts';
import { buildGatewaySchema } from '../resolvers/schema.ts';
import type { Services } from '../resolvers/operation/services.ts';
import { guardOf, refusalOfVariables, variableFaults } from '../resolvers/operation/validation.ts';
import { createEndpoint } from '../rest/endpoint.ts';
import { createExecutor, type Executor } from '../graphql/executor.ts';
import { ROUTES } from '../rest/routes.ts';
import { registerConsole } from '../server/pages/console-page.ts';
import { createClientOf } from '../server/graphql/ws/upgrade-client.ts';
import { registerDocs } from '../server/pages/docs-page.ts';
import { openDoors } from '../server/listen.ts';
import { registerEventStreams } from '../server/graphql/sse/routes.ts';
import { createFieldTurns } from '../graphql/field-turns.ts';
import { registerGraphQL } from '../server/graphql/http.ts';
import { formatGraphQLError } from '../server/graphql/errors.ts';
import { registerHealth, type Metrics } from '../server/metrics/health.ts';
import { closeGracefully, createHttpServer, onUpgrade, type AnsweredCall } from '../server/http-server.ts';
import { createIdentify, ipOf } from '../server/admission/authenticate.ts';
import { createLiveClients } from '../server/graphql/connections/registry.ts';
import { createPages } from '../server/admission/allowed-origins.ts';
import { measureFields, roomOf } from '../graphql/measured-fields.ts';
import { createScales } from '../graphql/operation-weight.ts';
import { registerPayPage, type FetchLogo } from '../server/pages/pay-page.ts';
import { registerOverload } from '../server/admission/load-shedding.ts';
import { createUnknown, registerRest } from '../server/rest-routes.ts';
import { boundUnreadAnswers } from '../server/admission/unread-answers.ts';
import { createWebSocketServer } from '../server/graphql/ws/server.ts';
import type { Network } from '../values/assets.ts';
import { createWebhookReceiver } from '../server/pages/webhook-receiver.ts';
import { limitConnectionsBy, openRateLimits, pageOptions, socketLimitsOf } from './admission.ts';
import { watchFaces } from './metrics.ts';
import type { Loops, Stops } from './lifecycle.ts';

type Variables = Readonly<Record<string, unknown>>;

interface ApiParts {
  readonly config: Config;
  readonly deps: Services['deps'];
  readonly live: Services['live'];
  readonly simulations: Services['simulations'];
  readonly loops: Loops;
  readonly stops: Stops;
  readonly metrics: Metrics;
}

/** None in the sandbox, whatever its nodes are: its money is worth nothing. */
function mainNetworksOf({ environment, networks }: Config): Set<Network> {
  const main = [...networks].filter(([network, node]) => isMainChain(network, node));
  return new Set(environment === 'live' ? main.map(([network]) => network) : []);
}

/** The faces: HTTP, GraphQL, sockets, the payment page. */
export async function startApi({ config, deps, live, simulations, loops, stops, metrics }: ApiParts): Promise<void> {
  const { environment, log, clock, secrets, db } = { ...deps };
  const defaults = createPaymentDefaults(deps);
  const createPayment = createPaymentCreator(deps, defaults);
  const receiving =
    environment === 'sandbox'
      ? createWebhookReceiver({ clock, baseUrl: config.baseUrl, readSecret: readSecretOf(db.em) })
      : null;
  const apiLog = createApiLog(deps, ({ status, errorCode }) => metrics.countNobody(status, errorCode));
  const attempts = createSignInAttempts(deps, { byAddress: config.rateLimit.authPerMinute > 0 });
  const keyUses = createKeyUses({ em: db.em, clock });
  const services: Services = {
    deps,
    defaults,
    createPayment,
    tokenTtlSeconds: config.tokenTtlSeconds,
    registration: config.registration,
    keysMax: config.apiKeysMax,
    attempts,
    live,
    simulations,
    mainNetworks: mainNetworksOf(config),
    settleApiLog: (until) => apiLog.flushUntil(until),
    settleKeyUses: keyUses.settle,
    receiver: receiving?.receiver ?? null,
  };
  const schema = buildGatewaySchema(services, environment);
  measureFields(schema);
  const { execute, tryExecute } = createExecutor(schema, {
    identityOf: (context) => (context as OperationContext).call ?? context,
    takeTurn: createFieldTurns(),
    roomOf,
  });
  loops.start(keyUses, { idleMs: 1_000 });
  const access = createAccess({ em: db.em, clock, secrets, environment, onKeyUse: keyUses.note });
  const limits = await openRateLimits(config, deps, stops);
  const { trustProxy, tls } = config;
  const httpsOnly = environment === 'live';
  const ownOrigin = new URL(config.baseUrl).origin;
  const identify = createIdentify({ access, limits, ownOrigin });
  loops.start(apiLog, { idleMs: 500 });
  loops.start(attempts, { idleMs: 60_000 });

  const onAnswered = ({ request, reply }: AnsweredCall) => {
    const { url: route = 'unknown' } = request.routeOptions;
    metrics.countCall(route, request.method, reply.statusCode, reply.elapsedTime / 1_000);
    if (!request.url.startsWith('/api/') && !request.url.startsWith('/graphql')) return;
    // Nothing was done of a call that was turned away, and a row of it would be work for what has too much of it.
    if (request.isTurnedAway) return;
    const { requestId, caller, ip } = request.context ?? { requestId: request.id, caller: null, ip: ipOf(request) };
    apiLog.record({
      merchantId: caller?.merchantId ?? null,
      keyId: caller?.keyId ?? null,
      requestId,
      at: clock.now(),
      method: request.method,
      path: loggedPath(request.url),
      operation: request.context?.call?.operation ?? request.operation,
      status: reply.statusCode,
      errorCode: request.context?.call?.errorCode ?? request.errorCode,
      durationMs: Math.round(reply.elapsedTime),
      ip,
    });
  };
  const pages = createPages(pageOptions(config));
  const onUnknown = createUnknown(identify, routesOf(config));
  const server = createHttpServer({ log, trustProxy, httpsOnly, tls, pages, onAnswered, onUnknown });
  const connections = limitConnectionsBy(config, server.server);
  const overload = registerOverload(server);
  receiving?.register(server, { identify });
  const logos = createImages({ allowPrivate: config.webhookAllowPrivate, log });
  registerEverything({ config, deps, schema, execute, server, identify, metrics, fetchLogo: logos.fetch });
  const { graphqlIntrospection: introspection } = config;
  const refuse = (operation: OperationDefinitionNode, variables: Variables, context: OperationContext) =>
    refusalOfVariables(schema, operation, variables, context);
  const clients = createLiveClients({ access, clock, log, socketLimits: socketLimitsOf(config) });
  boundUnreadAnswers(server, clients.unread);
  const { execute: executeInTurn } = overload;
  const operations = {
    ...{ schema, introspection, refuse, clients, log },
    execute: executeInTurn,
    formatError: formatGraphQLError,
  };
  const streams = registerEventStreams(server, { ...operations, identify });
  const sockets = createWebSocketServer({
    ...operations,
    limits,
    refusalOfPage: pages.refusalOfSocket,
    clientOf: createClientOf({ trustProxy, httpsOnly, ownOrigin }),
    onAnswered: ({ caller, ...call }) =>
      apiLog.record({
        ...{ ...call, merchantId: caller?.merchantId ?? null, keyId: caller?.keyId ?? null },
        ...{ at: clock.now(), method: 'WS', path: '/graphql' },
      }),
  });
  onUpgrade(server, sockets.handleUpgrade);
  watchFaces(metrics.registry, {
    sockets: sockets.size,
    streams: streams.size,
    load: overload.figures,
    ...{ connections, clients },
  });
  const weigh = createScales(schema);
  const graphql = await registerGraphQL(server, {
    ...{ schema, tryExecute, weigh, introspection, identify, refuse },
    enterLarge: overload.enterLarge,
  });
  const doors = await openDoors(server, { host: config.host, port: config.port });
  // Once nobody is answered any more: what was noted since the last run of the loops, which end after this.
  stops.push(async () => {
    await apiLog.flush();
    await keyUses.settle();
  });
  stops.push(() => logos.close());
  stops.push(() => graphql.stop());
  stops.push(() => closeGracefully(server, doors));
  stops.push(async () => {
    await Promise.all([sockets.close(), streams.close()]);
    clients.stop();
  });
}

/** The secret that signs a merchant's webhooks, for the sandbox's receiver of them. */
const readSecretOf = (em: Deps['db']['em']) => async (merchantId: string) => {
  const found = await query<{ secret: string }>(em, 'select webhook_secret as secret from merchant where id = $1', [
    merchantId,
  ]);
  return found[0]?.secret ?? null;
};

interface RoutesParts {
  readonly config: Config;
  readonly deps: Deps;
  readonly schema: GraphQLSchema;
  readonly execute: Executor['execute'];
  readonly server: FastifyInstance;
  readonly identify: ReturnType<typeof createIdentify>;
  readonly metrics: Metrics;
  readonly fetchLogo: FetchLogo;
}

/** The rows of the table that this environment has. */
const routesOf = ({ environment }: Config) => ROUTES.filter((route) => environment === 'sandbox' || !route.sandboxOnly);

function registerEverything(parts: RoutesParts): void {
  const { config, deps, schema, execute, server, identify, metrics, fetchLogo } = parts;
  const adapter = {
    schema,
    execute,
    guardOf: (operation: OperationDefinitionNode) => guardOf(schema, operation) as (context: unknown) => void,
    explain: (operation: OperationDefinitionNode, variables: Variables, context: unknown) =>
      variableFaults(schema, operation, variables, context as OperationContext),
  };
  const routes = routesOf(config);
  registerRest(server, { identify, endpoints: routes.map((route) => createEndpoint(adapter, route)) });
  registerConsole(server, { identify, environment: config.environment, registration: config.registration });
  registerPayPage(server, { schema, identify, clock: deps.clock, fetchLogo });
  const { environment, baseUrl, apiDocs: explorers, webhookSourceIps } = config;
  registerDocs(server, { schema, routes, identify, environment, baseUrl, explorers, webhookSourceIps });
  const database = () => query(deps.db.em, 'select 1').then(() => null);
  registerHealth(server, { checks: { database }, readHalted: () => readHaltedNetworks(deps), metrics });
}
