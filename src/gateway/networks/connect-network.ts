// Takes a network into service once its node is verified, and out of service while verification fails.

import { setTimeout as rest } from 'node:timers/promises';
import type { ChainAdapter } from '../../chain/adapter.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import { observeAdapter } from '../../chain/observed-adapter.ts';
import type { Config } from '../../config/config.ts';
import type { Signer } from '../../custody/keys/signer.ts';
import type { Chain, Deps } from '../../domain/deps.ts';
import type { TestChainControl } from '../../domain/test-chain.ts';
import type { Worker } from '../../loop.ts';
import { createReconciler } from '../../observe/reconcile-balances.ts';
import { createDepositWatcher, openCursor } from '../../observe/watch-deposits.ts';
import type { Metrics } from '../../server/metrics/health.ts';
import { ASSETS, NETWORKS, type Network } from '../../values/assets.ts';
import { traced } from '../../tracing.ts';
import { openSeed } from './derivation-accounts.ts';
import type { Loops } from '../lifecycle.ts';

/** A development chain of the sandbox: it can be simulated on, and the signer sends through its journal. */
export interface TestChain extends TestChainControl {
  sendRaw(signed: string): Promise<unknown>;
}

/** A network that was opened, but is not verified yet. */
export interface OpenedNetwork {
  readonly adapter: ChainAdapter;
  /** Null if nothing can be simulated. */
  readonly testChain: TestChain | null;
}

export interface ConnectParts {
  readonly config: Config;
  readonly deps: Deps;
  readonly loops: Loops;
  readonly chains: Map<Network, Chain>;
  readonly simulations: Map<string, TestChainControl>;
  readonly metrics: Pick<Metrics, 'custodyDifference' | 'networkAvailable' | 'countQuestion' | 'countSignature'>;
}

/** Interval between reconciliations of a network; several addresses are read with each request. */
const RECONCILE_EVERY_MS = { sandbox: 60_000, live: 5 * 60_000 };
/** Interval between verifications of a node. */
const VERIFY_EVERY_MS = { sandbox: 1_000, live: 5_000 };
/** A verified node that fails is asked again after this long, if its failure came within the other limit. */
const ASK_AGAIN_AFTER_MS = 100;
const ASK_AGAIN_WITHIN_MS = 1_000;
/** A network that stays out of service is logged again after this long. */
const LOG_AGAIN_AFTER_MS = 10 * 60_000;
/** Polls per block time, so that a block is found soon after it exists; within these bounds. */
const POLLS_PER_BLOCK = 4;
const POLL_EVERY_MS = { least: 250, most: 5_000 };

/**
 * Opens a network, verifies it repeatedly, and takes it into service at the first success. A node that cannot be
 * reached, is on another chain or has other tokens takes its network out of service: it is `available: false`, accepts
 * no new payments, and its workers pause until verification succeeds again. A development chain is in service when this
 * resolves; other networks are not waited for.
 */
export async function connectNetwork(
  parts: ConnectParts,
  network: Network,
  open: () => Promise<OpenedNetwork>,
): Promise<void> {
  const { loops, deps, metrics } = parts;
  let opened: OpenedNetwork | null = null;
  let isInService = false;
  let isVerified = false;
  const report = createReporter(deps, network);
  metrics.networkAvailable(network, false);

  async function verify(): Promise<void> {
    try {
      opened ??= observed(await open(), metrics);
      await (isVerified ? verifyTwice(opened.adapter) : opened.adapter.verify());
      if (!isInService) await takeIntoService(parts, opened, () => isVerified);
      isInService = true;
      isVerified = true;
      report(null);
    } catch (error) {
      isVerified = false;
      if (!(error instanceof ChainUnavailable)) throw error;
      report(error);
    } finally {
      metrics.networkAvailable(network, isVerified);
    }
  }

  const processNext = () => verify().then(() => false);
  if (parts.config.environment === 'sandbox') await processNext();
  loops.start({ name: `verify ${network}`, processNext }, { idleMs: VERIFY_EVERY_MS[parts.config.environment] });
}

/** The network with every question to its nodes counted. */
function observed({ adapter, testChain }: OpenedNetwork, { countQuestion }: ConnectParts['metrics']): OpenedNetwork {
  const { network } = adapter;
  return {
    adapter: observeAdapter(adapter, ({ method, outcome, seconds }) =>
      countQuestion({ network, method }, outcome, seconds),
    ),
    testChain,
  };
}

/**
 * A verified node that now fails may have been asked about a block that had just gone, so it is asked once more before
 * its network goes out of service. A slow failure is not retried.
 */
async function verifyTwice(adapter: ChainAdapter): Promise<void> {
  const startedAt = performance.now();
  try {
    await adapter.verify();
  } catch (error) {
    if (!(error instanceof ChainUnavailable) || performance.now() - startedAt > ASK_AGAIN_WITHIN_MS) throw error;
    await rest(ASK_AGAIN_AFTER_MS);
    await adapter.verify();
  }
}

/** Logs when a network goes out of service, why, and when it is back. */
function createReporter({ log }: Pick<Deps, 'log'>, network: Network) {
  let reason: string | null = null;
  let loggedAt = -Infinity;
  return (error: ChainUnavailable | null) => {
    const now = performance.now();
    if (error === null) {
      if (reason !== null) log.warn({ network }, 'the network is in service again');
      reason = null;
    } else if (error.message !== reason || now - loggedAt > LOG_AGAIN_AFTER_MS) {
      reason = error.message;
      loggedAt = now;
      log.error({ network, reason }, 'the network is out of service; its node will be checked again');
    }
  };
}

async function takeIntoService(
  { config, deps, loops, chains, simulations, metrics }: ConnectParts,
  { adapter, testChain }: OpenedNetwork,
  isAvailable: () => boolean,
): Promise<void> {
  const { network } = adapter;
  const node = config.networks.get(network);
  const payoutBounds = config.payoutBounds.get(network);
  const byDefault = adapter.minesOnDemand ? 2 : NETWORKS[network].confirmations;
  const coldAddress = config.coldAddresses.get(network);
  const chain: Chain = {
    adapter,
    account: adapter.account,
    requiredConfirmations: config.confirmations.get(network) ?? byDefault,
    networkFees: feesOf(config.networkFees, network),
    newAccountFees: feesOf(config.newAccountFees, network),
    ...(payoutBounds && { payoutBounds }),
    ...(coldAddress !== undefined && { coldAddress }),
    ...(node && { quorumAbove: node.quorumAbove }),
    isAvailable,
  };
  /** Workers of a network pause while its node is not verified, because its answers would be wrong. */
  const start = (worker: Worker, idleMs: number) => {
    const processNext = async () => isAvailable() && (await worker.processNext());
    loops.start({ name: worker.name, processNext }, { idleMs });
  };
  await openCursor(deps, adapter);
  const { sender, filler } = config.roles.has('signer')
    ? await openSigner({ config, deps, metrics }, chain, testChain)
    : NO_SIGNER;
  if (sender) start(sender, testChain ? 250 : 3_000);
  if (filler) {
    // Fills the pool before the first payment needs an address.
    await filler.processNext();
    loops.start(filler, { idleMs: 1_000 });
  }
  if (config.roles.has('observer')) {
    start(createDepositWatcher(deps, chain), testChain ? POLL_EVERY_MS.least : pollEveryMs(network));
    const everyMs = RECONCILE_EVERY_MS[config.environment];
    start(createReconciler(deps, chain, { everyMs, onDifference: metrics.custodyDifference }), 5_000);
  }
  if (testChain) simulations.set(network, testChain);
  chains.set(network, chain);
}

function pollEveryMs(network: Network): number {
  const { least, most } = POLL_EVERY_MS;
  return Math.min(most, Math.max(least, NETWORKS[network].blockTimeMs / POLLS_PER_BLOCK));
}

/** The signer's workers for a network. */
interface SignerWorkers {
  readonly sender: Worker | null;
  /** Only for networks with pooled addresses. */
  readonly filler: Worker | null;
}

const NO_SIGNER: SignerWorkers = { sender: null, filler: null };

/** Creates the signer's workers in the process that has the seed: the sandbox's own, or a keystore's. */
async function openSigner(
  { config, deps, metrics }: Pick<ConnectParts, 'config' | 'deps' | 'metrics'>,
  chain: Chain,
  testChain: TestChain | null,
): Promise<SignerWorkers> {
  const seed = await openSeed(config);
  if (seed === null) {
    deps.log.warn(
      { network: chain.adapter.network },
      'KEYSTORE_PATH is not set: payouts wait for a signer with a keystore',
    );
    return NO_SIGNER;
  }
  const { createSeedSigner } = await import('../../custody/keys/signer.ts');
  const { createTransactionSender } = await import('../../custody/send-transactions.ts');
  const { openJournal } = await import('../../custody/witness/journal.ts');
  const { network } = chain.adapter;
  const signer = countSignatures(createSeedSigner(seed), (outcome, seconds) =>
    metrics.countSignature({ network }, outcome, seconds),
  );
  const journal = openJournal({ folder: config.journalDir, network });
  const acceptsMissingJournal = config.environment === 'sandbox' && config.databaseUrl === null;
  const consolidateBelow = testChain ? 0n : config.networks.get(chain.adapter.network)?.consolidateBelow;
  const devChain = testChain ?? undefined;
  const options = { chain, signer, journal, acceptsMissingJournal, consolidateBelow, devChain };
  return { sender: createTransactionSender(deps, options), filler: await openFiller(deps, chain, signer) };
}

/** The signer with its signatures counted. */
function countSignatures(signer: Signer, count: (outcome: string, seconds: number) => void): Signer {
  const counted = async <Made>(making: Promise<Made>): Promise<Made> => {
    const startedAt = performance.now();
    let outcome = 'failed';
    try {
      const made = await making;
      outcome = 'signed';
      return made;
    } finally {
      count(outcome, (performance.now() - startedAt) / 1_000);
    }
  };
  return {
    publicKey: signer.publicKey,
    sign: (...asked) => counted(traced('sign', 'within', {}, () => signer.sign(...asked))),
    signTaproot: (...asked) => counted(traced('sign', 'within', {}, () => signer.signTaproot(...asked))),
  };
}

async function openFiller(deps: Deps, { adapter }: Chain, signer: Signer): Promise<Worker | null> {
  if (adapter.addresses !== 'POOLED' || adapter.model !== 'ACCOUNT') return null;
  const { createAddressPoolFiller } = await import('../../custody/keys/fill-address-pool.ts');
  return createAddressPoolFiller(deps, { adapter, signer });
}

function feesOf(fees: ReadonlyMap<string, bigint>, network: Network): Map<string, bigint> {
  const own = ASSETS.filter((asset) => asset.network === network);
  return new Map(own.map(({ currency }) => [currency, fees.get(`${currency}/${network}`) ?? 0n]));
}
