// Takes a network into service once its node is what it should be, and out of it while it is not.

import { setTimeout as rest } from 'node:timers/promises';
import type { ChainAdapter } from '../../chain/adapter.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import type { Config } from '../../config/config.ts';
import type { Signer } from '../../custody/keys/signer.ts';
import type { Chain, Deps } from '../../domain/deps.ts';
import type { TestChainControl } from '../../domain/test-chain.ts';
import type { Worker } from '../../loop.ts';
import { createReconciler } from '../../observe/reconcile-balances.ts';
import { createDepositWatcher, openCursor } from '../../observe/watch-deposits.ts';
import type { Metrics } from '../../server/metrics/health.ts';
import { ASSETS, NETWORKS, type Network } from '../../values/assets.ts';
import { openSeed } from './derivation-accounts.ts';
import type { Loops } from '../lifecycle.ts';

/** A development chain of the sandbox: it can be simulated on, and its signer sends through its journal. */
export interface TestChain extends TestChainControl {
  sendRaw(signed: string): Promise<unknown>;
}

/** A network that was opened; what it says of itself is not verified yet. */
export interface OpenedNetwork {
  readonly adapter: ChainAdapter;
  /** Null where nothing can be simulated. */
  readonly testChain: TestChain | null;
}

export interface ConnectParts {
  readonly config: Config;
  readonly deps: Deps;
  readonly loops: Loops;
  readonly chains: Map<Network, Chain>;
  readonly simulations: Map<string, TestChainControl>;
  readonly metrics: Pick<Metrics, 'custodyDifference' | 'networkAvailable'>;
}

/** Between two comparisons of a network's book with its chain; several addresses are asked for with each request. */
const RECONCILE_EVERY_MS = { sandbox: 60_000, live: 5 * 60_000 };
/** Between two looks at whether a node is what it should be. */
const VERIFY_EVERY_MS = { sandbox: 1_000, live: 5_000 };
/** A node that was right is asked again after so long, if its no came within the other. */
const ASK_AGAIN_AFTER_MS = 100;
const ASK_AGAIN_WITHIN_MS = 1_000;
/** A node that is out of service is told of again after so long. */
const SAY_AGAIN_AFTER_MS = 10 * 60_000;
/** Of a network's block time, so that a block is found soon after it is there; never below or above these. */
const LOOKS_PER_BLOCK = 4;
const LOOK_EVERY_MS = { least: 250, most: 5_000 };

/**
 * Opens a network, verifies it again and again, and takes it into service when it is right for the first time. A node
 * that cannot be reached, is on another chain or has other tokens takes its network out of service: it is
 * `available: false`, no payments are made for it, and its workers rest, until the node is right again. A development
 * chain is in service when this resolves; any other is not waited for.
 */
export async function connectNetwork(
  parts: ConnectParts,
  network: Network,
  open: () => Promise<OpenedNetwork>,
): Promise<void> {
  const { loops, deps, metrics } = parts;
  let opened: OpenedNetwork | null = null;
  let isTakenIn = false;
  let isRight = false;
  const tell = createTeller(deps, network);
  metrics.networkAvailable(network, false);

  async function verify(): Promise<void> {
    try {
      opened ??= await open();
      await (isRight ? verifyTwice(opened.adapter) : opened.adapter.verify());
      if (!isTakenIn) await takeIn(parts, opened, () => isRight);
      isTakenIn = true;
      isRight = true;
      tell(null);
    } catch (error) {
      isRight = false;
      if (!(error instanceof ChainUnavailable)) throw error;
      tell(error);
    } finally {
      metrics.networkAvailable(network, isRight);
    }
  }

  const processNext = () => verify().then(() => false);
  if (parts.config.environment === 'sandbox') await processNext();
  loops.start({ name: `verify ${network}`, processNext }, { idleMs: VERIFY_EVERY_MS[parts.config.environment] });
}

/**
 * A node that was right and says no may have been asked about a block that had gone that moment: it is asked once more
 * before its network goes out of service. One that takes its time to say nothing is not waited for again.
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

/** Says when a network goes out of service, why, and when it is back. */
function createTeller({ log }: Pick<Deps, 'log'>, network: Network) {
  let reason: string | null = null;
  let saidAt = -Infinity;
  return (error: ChainUnavailable | null) => {
    const now = performance.now();
    if (error === null) {
      if (reason !== null) log.warn({ network }, 'the network is in service again');
      reason = null;
    } else if (error.message !== reason || now - saidAt > SAY_AGAIN_AFTER_MS) {
      reason = error.message;
      saidAt = now;
      log.error({ network, reason }, 'the network is out of service; its node will be looked at again');
    }
  };
}

async function takeIn(
  { config, deps, loops, chains, simulations, metrics }: ConnectParts,
  { adapter, testChain }: OpenedNetwork,
  isAvailable: () => boolean,
): Promise<void> {
  const { network } = adapter;
  const node = config.networks.get(network);
  const payoutBounds = config.payoutBounds.get(network);
  const byDefault = adapter.minesOnDemand ? 2 : NETWORKS[network].confirmations;
  const chain: Chain = {
    adapter,
    account: adapter.account,
    requiredConfirmations: config.confirmations.get(network) ?? byDefault,
    networkFees: feesOf(config.networkFees, network),
    newAccountFees: feesOf(config.newAccountFees, network),
    ...(payoutBounds && { payoutBounds }),
    ...(node && { quorumAbove: node.quorumAbove }),
    isAvailable,
  };
  /** Workers of a network rest while its node is not what it should be: what it says would be wrong. */
  const start = (worker: Worker, idleMs: number) => {
    const processNext = async () => isAvailable() && (await worker.processNext());
    loops.start({ name: worker.name, processNext }, { idleMs });
  };
  await openCursor(deps, adapter);
  const { sender, filler } = config.roles.has('signer') ? await openSigner(config, deps, chain, testChain) : NO_SIGNER;
  if (sender) start(sender, testChain ? 250 : 3_000);
  if (filler) {
    // The first ones before the first payment asks for one.
    await filler.processNext();
    loops.start(filler, { idleMs: 1_000 });
  }
  if (config.roles.has('observer')) {
    start(createDepositWatcher(deps, chain), testChain ? LOOK_EVERY_MS.least : lookEveryMs(network));
    const everyMs = RECONCILE_EVERY_MS[config.environment];
    start(createReconciler(deps, chain, { everyMs, onDifference: metrics.custodyDifference }), 5_000);
  }
  if (testChain) simulations.set(network, testChain);
  chains.set(network, chain);
}

function lookEveryMs(network: Network): number {
  const { least, most } = LOOK_EVERY_MS;
  return Math.min(most, Math.max(least, NETWORKS[network].blockTimeMs / LOOKS_PER_BLOCK));
}

/** What a signer does for a network. */
interface SignerWork {
  readonly sender: Worker | null;
  /** Only where addresses are made ahead. */
  readonly filler: Worker | null;
}

const NO_SIGNER: SignerWork = { sender: null, filler: null };

/** Payouts are signed and sent where the seed is: made by the sandbox itself, or in a keystore. */
async function openSigner(config: Config, deps: Deps, chain: Chain, testChain: TestChain | null): Promise<SignerWork> {
  const seed = await openSeed(config);
  if (seed === null) {
    deps.log.warn({ network: chain.adapter.network }, 'no KEYSTORE_PATH: payouts wait for a signer that has one');
    return NO_SIGNER;
  }
  const { createSeedSigner } = await import('../../custody/keys/signer.ts');
  const { createTransferSender } = await import('../../custody/send-transactions.ts');
  const { journalFolderOf, openJournal } = await import('../../custody/witness/journal.ts');
  const signer = createSeedSigner(seed);
  const journal = openJournal({ folder: journalFolderOf(config), network: chain.adapter.network });
  const acceptsMissingJournal = config.environment === 'sandbox' && config.databaseUrl === null;
  const consolidateBelow = testChain ? 0n : config.networks.get(chain.adapter.network)?.consolidateBelow;
  const devChain = testChain ?? undefined;
  const options = { chain, signer, journal, acceptsMissingJournal, consolidateBelow, devChain };
  return { sender: createTransferSender(deps, options), filler: await openFiller(deps, chain, signer) };
}

async function openFiller(deps: Deps, { adapter }: Chain, signer: Signer): Promise<Worker | null> {
  if (adapter.addresses !== 'POOLED' || adapter.model !== 'ACCOUNT') return null;
  const { createAddressFiller } = await import('../../custody/keys/fill-address-pool.ts');
  return createAddressFiller(deps, { adapter, signer });
}

function feesOf(fees: ReadonlyMap<string, bigint>, network: Network): Map<string, bigint> {
  const own = ASSETS.filter((asset) => asset.network === network);
  return new Map(own.map(({ currency }) => [currency, fees.get(`${currency}/${network}`) ?? 0n]));
}
