// The composition root: creates every part of the gateway, wires them together, and stops them in reverse order. Tests
// build the gateway with it too. Custody and the sandbox are loaded only if a role or the environment needs them.

import type { Logger } from 'pino';
import type { Config, Role } from '../config/config.ts';
import type { TracingConfig } from '../config/tracing.ts';
import { createDatabaseClock } from '../database/clock.ts';
import { createHttpClient } from '../egress/http-client.ts';
import { createUpdates, UPDATES_IDLE_MS } from '../dispatch/subscriptions/updates.ts';
import { createEventNumbering } from '../dispatch/outbox/number-events.ts';
import { createRelay } from '../dispatch/outbox/relay.ts';
import { createWebhookSender } from '../dispatch/webhooks/send-webhooks.ts';
import { createAssetsOff } from '../domain/assets/out-of-service.ts';
import { createClusterWatch } from '../domain/witness/cluster.ts';
import type { Chain, Deps } from '../domain/deps.ts';
import type { TestChainControl } from '../domain/test-chain.ts';
import { startApi } from './api.ts';
import { createDirectoryUpkeep } from '../observe/keep-directory.ts';
import { createCellReport } from '../observe/report-cell.ts';
import { claimJournal } from './cells/claim-cell.ts';
import type { OpenDirectory } from './cells/open-directory.ts';
import { checkColdAddressesAreForeign, checkDeployment } from './check-deployment.ts';
import { openNetworks } from './networks/open-networks.ts';
import { createDrain } from './drain.ts';
import { watchProcess } from './metrics.ts';
import { startHealthServer } from './health-server.ts';
import { startMailer } from './mail/start-mailer.ts';
import { watchWallets } from './wallet-metrics.ts';
import { openDatabase, openInfrastructure } from './infrastructure.ts';
import { createLoops, type GatewayOptions, type Loops, type Stops } from './lifecycle.ts';
import { startPolling } from './rates/poll-rates.ts';
import { withReplicas } from './replicas/open-replicas.ts';
import { startRates } from './rates/rates.ts';
import { createAgeErasure } from '../domain/customers/age-erasure.ts';
import { createRetention } from '../domain/retention.ts';
import { createLedgerCheck } from '../observe/check-ledger.ts';
import { createInvoiceExpiry } from '../observe/expire-invoices.ts';
import { createSettlements } from '../observe/run-settlements.ts';
import { createOperatorNotices } from '../observe/tell-operators.ts';
import type { Services } from '../resolvers/services.ts';
import { createMetrics, type Metrics } from '../server/metrics/health.ts';
import { createTurns } from '../server/admission/admission-queue.ts';
import { createWebhookMetrics } from '../server/metrics/webhooks.ts';
import type { Network } from '../values/assets.ts';
import { deriveSecrets } from '../values/secrets/keys.ts';

/** A balance that has reached its threshold is paid out within a quarter of a minute. */
const SETTLEMENTS_IDLE_MS = 15_000;

export interface Gateway {
  readonly config: Config;
  readonly deps: Deps;
  /**
   * Prepares a stop for `SHUTDOWN_GRACE_SECONDS`: everything is still answered, but /readyz says that the process goes,
   * answers end their connections, and sockets are told to connect elsewhere. `hurry` ends it early.
   */
  drain(hurry?: AbortSignal): Promise<void>;
  /**
   * Stops everything: requests in flight are answered, sockets closed with 1001, loops and embedded servers stopped.
   */
  stop(): Promise<void>;
}

const STOP_PART_WITHIN_MS = 5_500;

/** Creates and starts a gateway; it serves calls when this resolves. On failure everything started is stopped again. */
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
    await within(STOP_PART_WITHIN_MS, stop()).catch((error: unknown) => {
      log.error({ err: error }, 'a part of the gateway did not stop cleanly');
    });
  }
}

/** Rejects after a time limit, so that one hanging part does not keep the others from being stopped. */
function within(ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it took longer than ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function start(config: Config, options: GatewayOptions, stops: Stops): Promise<Gateway> {
  const { log } = options;
  await checkDeployment(config);
  if (config.tracing) await turnOnTracing(config, config.tracing, options.log, stops);
  const { databaseUrl, secret } = await openInfrastructure(config, options, stops);
  const db = await openDatabase(config, databaseUrl, options, stops);
  await claimJournal(db, config);
  await checkColdAddressesAreForeign(config, db.em);
  const clock = await createDatabaseClock(db.em);
  const loops = createLoops(log);
  // For a start that fails half-way; after a successful start the loops are stopped earlier, see below.
  stops.push(() => loops.stop());
  const metrics = createMetrics(config.roles);
  const drain = createDrain(1_000 * config.shutdownGraceSeconds);
  const chains = new Map<Network, Chain>();
  const simulations = new Map<string, TestChainControl>();
  const assetsOff = createAssetsOff(db);
  await assetsOff.look();
  loops.start({ name: 'assets-off', processNext: () => assetsOff.look().then(() => false) }, { idleMs: 1_000 });
  const directory = await openDirectory(config, options, stops);
  const deps: Deps & Pick<Services['deps'], 'secrets'> = {
    db: await withReplicas(config, db, { log, loops, stops, registry: metrics.registry }),
    clock,
    environment: config.environment,
    chains,
    assetsOff,
    rates: await startRates(config, { db, clock, loops, registry: metrics.registry }),
    payUrl: config.payUrl,
    ...(directory && { directory }),
    sendsMail: config.environment === 'sandbox' || config.smtp !== null,
    approvalMs: config.approvalHours * 3_600_000,
    webhookAllowPrivate: config.webhookAllowPrivate,
    signals: signalsOf(loops),
    log,
    secrets: deriveSecrets(secret, config.tokenSecrets),
  };
  // Dispatchers need no node: they only send what other roles recorded.
  if (['api', 'observer', 'signer'].some((role) => config.roles.has(role as Role)))
    await openNetworks({ config, options, deps, stops, loops, chains, simulations, metrics });
  if (config.roles.has('observer')) {
    loops.start(createLedgerCheck(deps, { onFaults: metrics.ledgerFaults }), { idleMs: 60_000 });
    loops.start(createInvoiceExpiry(deps), { idleMs: 1_000 });
    loops.start(createSettlements(deps), { idleMs: SETTLEMENTS_IDLE_MS });
    loops.start(createOperatorNotices(deps, config), { idleMs: 60_000 });
    startPolling(config, deps, { loops, stops, registry: metrics.registry });
    startUpkeep(config, deps, { loops, directory });
  }
  const updates = createUpdates(deps, { takeTurn: createTurns(PAGES_AT_ONCE) });
  const payouts = { clock, stuckAfterMinutes: config.stuckAfterMinutes };
  watchProcess(metrics.registry, { db, loops, chains, assetsOff, listeners: updates.listeners, payouts });
  if (config.roles.has('signer')) watchWallets(metrics.registry, db, chains);
  for (const worker of [updates.worker, updates.deliveryWorker]) loops.start(worker, { idleMs: UPDATES_IDLE_MS });
  if (config.roles.has('dispatcher')) startDispatch(config, deps, { loops, stops, metrics });
  loops.start(createClusterWatch(deps), { idleMs: 1_000 });
  loops.start({ name: 'clock', processNext: () => clock.sync().then(() => false) }, { idleMs: 30_000 });
  stops.push(() => loops.stop());
  if (config.roles.has('mailer')) startMailer(config, deps, { loops, stops, registry: metrics.registry });
  const parts = { config, deps, stops, metrics, drain, patience: options.patience };
  if (config.roles.has('api')) await startApi({ ...parts, updates, simulations, loops });
  else await startHealthServer(parts);
  return { config, deps, drain: (hurry) => drain.run(hurry), stop: () => stopAll(stops, log) };
}

/** What is kept in order, or told, now and then. */
function startUpkeep(config: Config, deps: Deps, { loops, directory }: UpkeepParts): void {
  const { apiLogDays, eventRetentionDays: eventDays } = config;
  const workers = [
    createRetention(deps, { apiLogDays, eventDays }),
    createAgeErasure(deps, config.customerDataDays),
    ...(directory ? [createDirectoryUpkeep(deps, directory), createCellReport(deps, directory, config)] : []),
  ];
  for (const worker of workers) loops.start(worker, { idleMs: 60_000 });
}

interface UpkeepParts {
  readonly loops: Loops;
  readonly directory: OpenDirectory | undefined;
}

/** Loads the directory of cells only where there is one. */
async function openDirectory(
  config: Config,
  { log, patience }: GatewayOptions,
  stops: Stops,
): Promise<OpenDirectory | undefined> {
  if (config.cellDirectory === null || !DIRECTORY_ROLES.some((role) => config.roles.has(role))) return undefined;
  const { startDirectory } = await import('./cells/open-directory.ts');
  return startDirectory(config, { log, stops, patience: patience?.database });
}

/** Who sign people in and register them, and who keeps their addresses. */
const DIRECTORY_ROLES: readonly Role[] = ['api', 'observer'];

/** Wakes the loops that have something to do. */
const signalsOf = (loops: Loops): Deps['signals'] => ({
  events: () => loops.nudge('number-events'),
  chain: (network) => loops.nudge(`watch-deposits ${network}`),
  payouts: (network) => loops.nudge(`send-transactions ${network}`),
  deliveries: () => loops.nudge('send-webhooks'),
});

/** Loads OpenTelemetry only where it is used. */
async function turnOnTracing(config: Config, tracing: TracingConfig, log: Logger, stops: Stops): Promise<void> {
  const { startTracing } = await import('./tracing.ts');
  await startTracing(tracing, { roles: config.roles, environment: config.environment, log, stops });
}

/** Pages of event logs read at once, for all merchants in turn. */
const PAGES_AT_ONCE = 4;

interface DispatchParts {
  readonly loops: Loops;
  readonly stops: Stops;
  readonly metrics: Metrics;
}

function startDispatch(config: Config, deps: Deps, { loops, stops, metrics }: DispatchParts): void {
  const egress = createHttpClient({ allowPrivate: config.webhookAllowPrivate, log: deps.log });
  const wake = () => loops.nudge('send-webhooks');
  const webhooks = createWebhookMetrics(metrics.registry);
  const sender = createWebhookSender(deps, {
    ...{ egress, wake, onAttempt: webhooks.attempt },
    retryDelaysSeconds: config.webhookRetryDelaysSeconds,
    disableAfterDays: config.webhookDisableAfterDays,
  });
  webhooks.watch(sender);
  const numbering = createEventNumbering(deps, () => {
    loops.nudge('live');
    loops.nudge('relay');
  });
  // Processes of other roles cannot wake this one, so the numbering polls often, with one small query.
  loops.start(numbering, { idleMs: 50 });
  for (const worker of [createRelay(deps, wake), sender]) loops.start(worker, { idleMs: 250 });
  stops.push(() => egress.close());
  stops.push(() => sender.drain());
}
