// The networks of a gateway: a node each, its adapter, the account that its addresses come from, its watcher.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainAdapter } from '../chain/adapter.ts';
import { createEvmAdapter } from '../chain/evm/adapter.ts';
import type { Config, NetworkConfig } from '../config.ts';
import { query } from '../database/connection.ts';
import type { Chain, Deps } from '../domain/deps.ts';
import type { DevChain } from '../sandbox/dev-chain.ts';
import type { Simulation } from '../domain/simulate.ts';
import { createReconciler } from '../observe/reconcile-balances.ts';
import { createDepositWatcher, openCursor } from '../observe/watch-deposits.ts';
import type { Metrics } from '../server/health.ts';
import { ASSETS, NETWORKS, type Network } from '../values/assets.ts';
import { StartError, type GatewayOptions, type Loops, type Stops } from './parts.ts';

interface ChainParts {
  readonly config: Config;
  readonly options: GatewayOptions;
  readonly deps: Deps;
  readonly stops: Stops;
  readonly loops: Loops;
  readonly chains: Map<Network, Chain>;
  readonly simulations: Map<string, Simulation>;
  readonly metrics: Pick<Metrics, 'custodyDifference'>;
}

/** Between two comparisons of a network's book with its chain; several addresses are asked for with each request. */
const RECONCILE_EVERY_MS = { sandbox: 60_000, live: 5 * 60_000 };

/** Opens every network there is a node for; the sandbox's own development chain stands in for ETH where none is given. */
export async function openChains(parts: ChainParts): Promise<void> {
  const { config, deps } = parts;
  for (const [network, node] of config.networks) {
    if (NETWORKS[network].kind !== 'evm')
      throw new StartError(`${network}_RPC_URL: this version has no adapter for ${network}`);
    await openNode(parts, network, node);
  }
  if (config.environment === 'sandbox' && !config.networks.has('ETH')) {
    if (!config.roles.has('observer'))
      throw new StartError(
        'ETH_RPC_URL is required where the observer role, which runs the development chain, runs elsewhere',
      );
    await openDevChain(parts, null);
  }
  await storeAccount(config, deps);
}

/** A node that is somebody else's: a development chain can be simulated on, any other is simply followed. */
async function openNode(parts: ChainParts, network: Network, node: NetworkConfig): Promise<void> {
  if (parts.config.environment === 'sandbox' && network === 'ETH') {
    const { NotADevChain } = await import('../sandbox/chain-host.ts');
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
    trace: node.trace,
    timeoutMs: 15_000,
    log: parts.deps.log,
  });
  await connect(parts, adapter);
}

async function openDevChain(parts: ChainParts, rpcUrl: string | null): Promise<void> {
  const { config, options, deps, stops } = parts;
  const { createDevChain } = await import('../sandbox/dev-chain.ts');
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
  // For tools that look at what a running gateway's chain holds, such as `npm run ledger:verify`.
  if (rpcUrl === null) await writeFile(join(config.dataDir, 'chain-url'), `${chain.rpcUrl}\n`, { mode: 0o600 });
  parts.simulations.set('ETH', chain);
  await connect(parts, adapter, chain);
}

/** Takes a network into service once its node is verified, and watches it where this process has that role. */
async function connect(
  { config, deps, loops, chains, metrics }: ChainParts,
  adapter: ChainAdapter,
  devChain: DevChain | null = null,
): Promise<void> {
  const { network } = adapter;
  const byDefault = adapter.minesOnDemand ? 2 : NETWORKS[network].confirmations;
  const chain = {
    adapter,
    account: NETWORKS[network].kind,
    requiredConfirmations: config.confirmations.get(network) ?? byDefault,
    networkFees: feesOf(config, network),
  };
  const takeIn = async () => {
    await openCursor(deps, adapter);
    if (config.roles.has('signer')) await startSigner({ config, deps, loops }, chain, devChain);
    if (config.roles.has('observer')) {
      loops.start(createDepositWatcher(deps, chain), { idleMs: 250 });
      const everyMs = RECONCILE_EVERY_MS[config.environment];
      const reconciler = createReconciler(deps, chain, { everyMs, onDifference: metrics.custodyDifference });
      loops.start(reconciler, { idleMs: 5_000 });
    }
    chains.set(network, chain);
  };
  if (adapter.minesOnDemand) return takeIn();
  const verifyOnce = async () => {
    if (chains.has(network)) return false;
    await adapter.verify();
    await takeIn();
    return false;
  };
  loops.start({ name: `verify ${network}`, processNext: verifyOnce }, { idleMs: 5_000 });
}

/** Payouts are signed and sent where the seed is: made by the sandbox itself, or in a keystore. */
async function startSigner(
  { config, deps, loops }: Pick<ChainParts, 'config' | 'deps' | 'loops'>,
  chain: Chain,
  devChain: DevChain | null,
): Promise<void> {
  const seed = await openSeed(config);
  if (seed === null) {
    deps.log.warn({ network: chain.adapter.network }, 'no KEYSTORE_PATH: payouts wait for a signer that has one');
    return;
  }
  const { createSeedSigner } = await import('../custody/signer.ts');
  const { createTransferSender } = await import('../custody/send-transfers.ts');
  const options = { chain, signer: createSeedSigner(seed), ...(devChain ? { devChain } : {}) };
  loops.start(createTransferSender(deps, options), { idleMs: devChain ? 250 : 3_000 });
}

/** The signer's seed: of the keystore, or the sandbox's own; null in live without a keystore. */
async function openSeed(config: Config): Promise<Uint8Array | null> {
  const { openKeystore, openOrCreateSandboxSeed } = await import('../custody/keystore.ts');
  if (config.keystore !== null) return openKeystore(config.keystore);
  return config.environment === 'sandbox' ? openOrCreateSandboxSeed({ dataDir: config.dataDir }) : null;
}

function feesOf({ networkFees }: Config, network: Network): Map<string, bigint> {
  const own = ASSETS.filter((asset) => asset.network === network);
  return new Map(own.map(({ currency }) => [currency, networkFees.get(`${currency}/${network}`) ?? 0n]));
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
    await query(em, 'insert into derivation_account (account, xpub) values ($1, $2) on conflict do nothing', [
      'evm',
      xpub,
    ]);
  const [row] = await query<{ xpub: string }>(em, 'select xpub from derivation_account where account = $1', ['evm']);
  if (!row)
    throw new StartError(
      'There is no extended public key yet: start a process with the signer role first, or set ETH_XPUB',
    );
  if (xpub !== null && row.xpub !== xpub)
    throw new StartError(
      'The database has addresses of another extended public key: is this the right DATA_DIR or XPUB?',
    );
}

async function xpubOfSigner(config: Config): Promise<string | null> {
  const seed = await openSeed(config);
  if (seed === null) return null;
  const { accountXpub, COIN_TYPES } = await import('../custody/account-keys.ts');
  return accountXpub(seed, COIN_TYPES.evm).xpub;
}
