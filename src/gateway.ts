// The composition root: it makes every part, hands each what it needs, and takes them down in the reverse order. Tests
// build the gateway with it too. Custody and the sandbox are loaded only where a role or the environment asks for them.

import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Logger } from 'pino';
import { createAccess, type OperationContext } from './access/caller.ts';
import type { ChainAdapter } from './chain/adapter.ts';
import { createEvmAdapter } from './chain/evm/adapter.ts';
import type { Config, NetworkConfig } from './config.ts';
import { createDatabaseClock } from './database/clock.ts';
import { connectDatabase, query, type Database } from './database/connection.ts';
import { createEgress } from './dispatch/egress.ts';
import { createLiveUpdates, LIVE_IDLE_MS } from './dispatch/live.ts';
import { createEventNumbering } from './dispatch/number-events.ts';
import { createRelay } from './dispatch/relay.ts';
import { createWebhookSender } from './dispatch/send-webhooks.ts';
import { createApiLog } from './domain/api-log.ts';
import { createPaymentCreator } from './domain/create-payment.ts';
import type { Chain, Deps } from './domain/deps.ts';
import type { Simulation } from './domain/simulate.ts';
import { createLoop, type Loop, type Worker } from './loop.ts';
import { createDepositWatcher } from './observe/watch-deposits.ts';
import { buildGatewaySchema } from './resolvers/schema.ts';
import type { Services } from './resolvers/services.ts';
import { requireOperation, variableFaults } from './resolvers/validation.ts';
import { createEndpoint } from './rest/adapter.ts';
import { ROUTES } from './rest/routes.ts';
import { createClientOf } from './server/client-of.ts';
import { registerGraphQL } from './server/graphql.ts';
import { formatGraphQLError } from './server/graphql-errors.ts';
import { createMetrics, registerHealth } from './server/health.ts';
import { createHttpServer, onUpgrade, type AnsweredCall } from './server/http-server.ts';
import { createIdentify, ipOf } from './server/identify.ts';
import { registerPayPage } from './server/pay-page.ts';
import { createRateLimits } from './server/rate-limit.ts';
import { registerRest } from './server/rest-routes.ts';
import { createWebSocketServer } from './server/web-sockets.ts';
import { NETWORKS, type Network } from './values/assets.ts';
import { deriveSecrets } from './values/secrets.ts';

export interface Gateway {
  readonly config: Config;
  readonly deps: Deps;
  /** Ends everything: requests in flight are answered, sockets closed with 1001, loops and embedded parts stopped. */
  stop(): Promise<void>;
}

interface GatewayOptions {
  readonly log: Logger;
  /** Told, in words for the terminal, what takes its time. */
  readonly onProgress?: (text: string) => void;
}

type Variables = Readonly<Record<string, unknown>>;
/** What was started, to be stopped last first. */
type Stops = (() => Promise<void>)[];

/** Makes and starts a gateway; when it resolves, calls are answered. What was started is stopped again if it fails. */
export async function createGateway(config: Config, options: GatewayOptions): Promise<Gateway> {
  const stops: Stops = [];
  try {
    return await start(config, options, stops);
  } catch (error) {
    await stopAll(stops, options.log);
    throw error;
  }
}

async function stopAll(stops: Stops, log: Logger): Promise<void> {
  for (let stop = stops.pop(); stop; stop = stops.pop()) {
    await stop().catch((error: unknown) => log.error({ err: error }, 'a part did not stop cleanly'));
  }
}

async function start(config: Config, options: GatewayOptions, stops: Stops): Promise<Gateway> {
  const { log } = options;
  const { databaseUrl, secret } = await openGround(config, options, stops);
  const db = await openDatabase(config, databaseUrl, options, stops);
  const clock = await createDatabaseClock(db.em);
  const loops = createLoops(log);
  const chains = new Map<Network, Chain>();
  const simulations = new Map<string, Simulation>();
  const deps: Deps & Pick<Services['deps'], 'secrets'> = {
    db,
    clock,
    environment: config.environment,
    chains,
    payUrl: config.payUrl,
    webhookAllowPrivate: config.webhookAllowPrivate,
    signals: { events: () => loops.nudge('number-events'), chain: (network) => loops.nudge(`watch-deposits ${network}`) },
    log,
    secrets: deriveSecrets(secret),
  };
  await openChains({ config, options, deps, stops, loops, chains, simulations });
  const live = createLiveUpdates(deps);
  loops.start(live.worker, { idleMs: LIVE_IDLE_MS });
  if (config.roles.has('dispatcher')) startDispatch(config, deps, loops, stops);
  loops.start({ name: 'clock', processNext: () => clock.sync().then(() => false) }, { idleMs: 30_000 });
  stops.push(() => loops.stop());
  if (config.roles.has('api')) await startApi({ config, options, deps, live, simulations, loops, stops });
  return { config, deps, stop: () => stopAll(stops, log) };
}

/** What the rest stands on: the data folder's lock, the embedded PostgreSQL where none is given, the secret. */
async function openGround(config: Config, { log, onProgress }: GatewayOptions, stops: Stops) {
  const { dataDir } = config;
  if (config.environment === 'live') {
    if (config.databaseUrl === null || config.secret === null) throw new Error('Live needs DATABASE_URL and TURNPIKE_SECRET');
    return { databaseUrl: config.databaseUrl, secret: config.secret };
  }
  const embedsChain = !config.networks.has('ETH') && config.roles.has('observer');
  if (config.databaseUrl === null || embedsChain) {
    const { acquireInstanceLock } = await import('./sandbox/instance-lock.ts');
    const lock = await acquireInstanceLock({ dataDir });
    stops.push(() => lock.release());
  }
  const { openOrCreateSecret } = await import('./sandbox/sandbox-secret.ts');
  const secret = config.secret ?? (await openOrCreateSecret({ dataDir }));
  if (config.databaseUrl !== null) return { databaseUrl: config.databaseUrl, secret };
  const { startPostgres } = await import('./sandbox/embedded-postgres.ts');
  const postgres = await startPostgres({ dataDir, log, ...(onProgress ? { onProgress } : {}) });
  stops.push(() => postgres.stop());
  return { databaseUrl: postgres.url, secret };
}

async function openDatabase(config: Config, url: string, { log, onProgress }: GatewayOptions, stops: Stops): Promise<Database> {
  const db = await connectDatabase({ url, poolMax: config.databasePoolMax, log });
  stops.push(() => db.close());
  onProgress?.('Applying database migrations');
  await db.migrate();
  return db;
}

type Loops = ReturnType<typeof createLoops>;

/** The loops of this process, by name, so that one part can wake another that it does not know. */
function createLoops(log: Logger) {
  const loops = new Map<string, Loop>();
  const nudge = (name: string) => loops.get(name)?.nudge();
  return {
    nudge,
    start: (worker: Worker, { idleMs }: { idleMs: number }) => void loops.set(worker.name, createLoop(worker, { idleMs, log })),
    stop: async () => void (await Promise.all([...loops.values()].map((loop) => loop.stop()))),
  };
}

interface ChainParts {
  readonly config: Config;
  readonly options: GatewayOptions;
  readonly deps: Deps;
  readonly stops: Stops;
  readonly loops: Loops;
  readonly chains: Map<Network, Chain>;
  readonly simulations: Map<string, Simulation>;
}

/** Opens every network there is a node for; the sandbox's own development chain stands in for ETH where none is given. */
async function openChains(parts: ChainParts): Promise<void> {
  const { config, deps } = parts;
  for (const [network, node] of config.networks) {
    if (NETWORKS[network].kind !== 'evm') throw new Error(`${network}_RPC_URL: this version has no adapter for ${network}`);
    await openNode(parts, network, node);
  }
  if (config.environment === 'sandbox' && !config.networks.has('ETH')) await openDevChain(parts, null);
  await storeAccount(config, deps);
}

/** A node that is somebody else's: a development chain can be simulated on, any other is simply followed. */
async function openNode(parts: ChainParts, network: Network, node: NetworkConfig): Promise<void> {
  if (parts.config.environment === 'sandbox' && network === 'ETH') {
    const { NotADevChain } = await import('./sandbox/chain-host.ts');
    try {
      await openDevChain(parts, node.rpcUrl);
      return;
    } catch (error) {
      if (!(error instanceof NotADevChain)) throw error;
    }
  }
  const contracts = new Map<string, string | null>([[NETWORKS[network].coin, null], ...node.contracts]);
  const adapter = createEvmAdapter({
    network,
    rpcUrl: node.rpcUrl,
    ...(node.chainId === null ? {} : { chainId: node.chainId }),
    contracts,
    minesOnDemand: false,
    timeoutMs: 15_000,
    log: parts.deps.log,
  });
  connect(parts, adapter);
}

async function openDevChain(parts: ChainParts, rpcUrl: string | null): Promise<void> {
  const { config, options, deps, stops } = parts;
  const { createDevChain } = await import('./sandbox/dev-chain.ts');
  if (rpcUrl === null) options.onProgress?.('Starting the development chain');
  const chain = await createDevChain({
    dataDir: config.dataDir,
    log: deps.log,
    ...(config.anvilPath === null ? {} : { anvilPath: config.anvilPath }),
    ...(rpcUrl === null ? {} : { rpcUrl }),
  });
  stops.push(() => chain.stop());
  const adapter = createEvmAdapter({
    network: 'ETH',
    rpcUrl: chain.rpcUrl,
    chainId: chain.chainId,
    contracts: new Map<string, string | null>([['ETH', null], ...chain.contracts]),
    minesOnDemand: true,
    timeoutMs: 15_000,
    log: deps.log,
  });
  await adapter.verify();
  parts.simulations.set('ETH', chain);
  connect(parts, adapter);
}

/** Takes a network into service once its node is verified, and watches it where this process has that role. */
function connect({ config, deps, loops, chains }: ChainParts, adapter: ChainAdapter): void {
  const { network } = adapter;
  const byDefault = adapter.minesOnDemand ? 2 : NETWORKS[network].confirmations;
  const chain = { adapter, account: NETWORKS[network].kind, requiredConfirmations: config.confirmations.get(network) ?? byDefault };
  const takeIn = () => {
    chains.set(network, chain);
    if (config.roles.has('observer')) loops.start(createDepositWatcher(deps, chain), { idleMs: 250 });
  };
  if (adapter.minesOnDemand) return takeIn();
  const verifyOnce = async () => {
    if (chains.has(network)) return false;
    await adapter.verify();
    takeIn();
    return false;
  };
  loops.start({ name: `verify ${network}`, processNext: verifyOnce }, { idleMs: 5_000 });
}

/**
 * Keeps the extended public key that EVM addresses come from in the database, where every role finds it: given by
 * configuration, or made by the signer. An account never changes its key: addresses already issued belong to it.
 */
async function storeAccount(config: Config, deps: Deps): Promise<void> {
  const configured = [...config.networks.values()].find((node) => node.xpub !== null)?.xpub ?? null;
  const xpub = configured ?? (config.roles.has('signer') ? await xpubOfSigner(config) : null);
  const em = deps.db.em;
  if (xpub !== null)
    await query(em, 'insert into derivation_account (account, xpub) values ($1, $2) on conflict do nothing', ['evm', xpub]);
  const [row] = await query<{ xpub: string }>(em, 'select xpub from derivation_account where account = $1', ['evm']);
  if (!row) throw new Error('There is no extended public key yet: start a process with the signer role first, or set ETH_XPUB');
  if (xpub !== null && row.xpub !== xpub)
    throw new Error('The database has addresses of another extended public key: is this the right DATA_DIR or XPUB?');
}

async function xpubOfSigner(config: Config): Promise<string | null> {
  if (config.environment === 'live') return null;
  const { openOrCreateSandboxSeed } = await import('./custody/keystore.ts');
  const { accountXpub, COIN_TYPES } = await import('./custody/account-keys.ts');
  return accountXpub(await openOrCreateSandboxSeed({ dataDir: config.dataDir }), COIN_TYPES.evm).xpub;
}

function startDispatch(config: Config, deps: Deps, loops: Loops, stops: Stops): void {
  const egress = createEgress({ allowPrivate: config.webhookAllowPrivate, log: deps.log });
  const wake = () => loops.nudge('send-webhooks');
  const sender = createWebhookSender(deps, { egress, wake, retryDelaysSeconds: config.webhookRetryDelaysSeconds });
  const numbering = createEventNumbering(deps, () => {
    loops.nudge('live');
    loops.nudge('relay');
  });
  for (const worker of [numbering, createRelay(deps, wake), sender]) loops.start(worker, { idleMs: 250 });
  stops.push(() => egress.close());
  stops.push(() => sender.drain());
}

interface ApiParts {
  readonly config: Config;
  readonly options: GatewayOptions;
  readonly deps: Services['deps'];
  readonly live: Services['live'];
  readonly simulations: Services['simulations'];
  readonly loops: Loops;
  readonly stops: Stops;
}

/** The faces: HTTP, GraphQL, sockets, the payment page. */
async function startApi({ config, deps, live, simulations, loops, stops }: ApiParts): Promise<void> {
  const { environment, log, clock, secrets, db } = { ...deps };
  const createPayment = createPaymentCreator(deps);
  const services: Services = { deps, createPayment, tokenTtlSeconds: config.tokenTtlSeconds, live, simulations };
  const schema = buildGatewaySchema(services, environment);
  const access = createAccess({ em: db.em, clock, secrets, environment });
  const limits = createRateLimits(config.rateLimit);
  const { trustProxy, tls } = config;
  const httpsOnly = environment === 'live';
  const identify = createIdentify({ access, limits, httpsOnly });
  const metrics = createMetrics();
  const apiLog = createApiLog(deps);
  loops.start(apiLog, { idleMs: 500 });

  const onAnswered = ({ request, reply }: AnsweredCall) => {
    const { url: route = 'unknown' } = request.routeOptions;
    metrics.countCall(route, request.method, reply.statusCode, reply.elapsedTime / 1_000);
    if (!request.url.startsWith('/api/') && !request.url.startsWith('/graphql')) return;
    const { requestId, caller } = request.context ?? { requestId: request.id, caller: null };
    apiLog.record({
      merchantId: caller?.merchantId ?? null,
      keyId: caller?.keyId ?? null,
      requestId,
      at: clock.now(),
      method: request.method,
      path: request.url.split('?')[0] ?? request.url,
      operation: request.operation,
      status: reply.statusCode,
      errorCode: request.errorCode,
      durationMs: Math.round(reply.elapsedTime),
      ip: ipOf(request),
    });
  };
  const server = createHttpServer({ log, trustProxy, httpsOnly, tls, onAnswered });
  registerEverything({ config, deps, schema, server, identify, metrics });
  const introspection = environment === 'sandbox';
  const explain = (operation: OperationDefinitionNode, variables: Variables, context: OperationContext) =>
    variableFaults(schema, operation, variables, context);
  const sockets = createWebSocketServer({
    schema,
    introspection,
    explain,
    access,
    clock,
    limits,
    log,
    formatError: formatGraphQLError,
    allowedOrigins: [config.baseUrl, config.payUrl].map((url) => new URL(url).origin),
    clientOf: createClientOf({ trustProxy, httpsOnly }),
  });
  onUpgrade(server, sockets.handleUpgrade);
  const graphql = await registerGraphQL(server, { schema, introspection, identify, explain });
  await server.listen({ host: config.host, port: config.port });
  stops.push(() => graphql.stop());
  stops.push(() => server.close());
  stops.push(() => sockets.close());
}

interface RoutesParts {
  readonly config: Config;
  readonly deps: Deps;
  readonly schema: GraphQLSchema;
  readonly server: FastifyInstance;
  readonly identify: ReturnType<typeof createIdentify>;
  readonly metrics: ReturnType<typeof createMetrics>;
}

function registerEverything({ config, deps, schema, server, identify, metrics }: RoutesParts): void {
  const adapter = {
    schema,
    authorize: (operation: OperationDefinitionNode, context: unknown) =>
      requireOperation(schema, operation, context as OperationContext),
    explain: (operation: OperationDefinitionNode, variables: Variables, context: unknown) =>
      variableFaults(schema, operation, variables, context as OperationContext),
  };
  const routes = ROUTES.filter((route) => config.environment === 'sandbox' || !route.sandboxOnly);
  registerRest(server, { identify, endpoints: routes.map((route) => createEndpoint(adapter, route)) });
  registerPayPage(server, { schema, identify, clock: deps.clock });
  const database = () => query(deps.db.em, 'select 1').then(() => null);
  registerHealth(server, { checks: { database }, metrics });
}
