// The health of each network for the operator: its node, how far it was read, our wallets, and what waits or is held.

import type { ChainAdapter } from '../../chain/adapter.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import type { EntityManager } from '../../database/connection.ts';
import { readObservedHeights, readWallets, type Wallet } from '../../database/queries/chain/network-state.ts';
import { countStuck, readDueCounts } from '../../database/queries/payouts/open-payouts.ts';
import { readFreezes, type PayoutFreeze } from '../../database/queries/payouts/freezes.ts';
import { readHalts, type Halt } from '../../database/queries/payouts/signing-state.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, NETWORK_CODES, NETWORKS, type Network } from '../../values/assets.ts';
import { readAssetsOff, type AssetOff } from '../assets/asset-service.ts';
import { inTransaction } from '../deps.ts';
import { recordLook, type Operator } from './log.ts';
import { readHoldings } from './wallet-holdings.ts';

/** A wallet of ours. `holds` lists amounts with their currencies; null if no node answers. */
export interface WalletHealth {
  readonly address: string;
  readonly holds: readonly string[] | null;
}

export interface NetworkHealth {
  readonly network: Network;
  /** Whether its node answers and is the right one; null if none is configured here. */
  readonly available: boolean | null;
  /** Why it is not available. */
  readonly reason: string | null;
  readonly tip: number | null;
  readonly tipAt: Date | null;
  /** The height up to which it was read. */
  readonly observed: number | null;
  readonly hot: WalletHealth | null;
  readonly gas: WalletHealth | null;
  /** Payouts that wait for a transaction. */
  readonly payoutsDue: number;
  readonly oldestDueAt: Date | null;
  /** Payouts that have been open for too long. */
  readonly stuck: number;
  readonly halt: Halt | null;
  readonly assetsOff: readonly AssetOff[];
}

export interface Health {
  readonly networks: readonly NetworkHealth[];
  readonly freezes: readonly PayoutFreeze[];
}

interface HealthOptions {
  /** The adapters of the networks whose nodes can be asked. */
  readonly adapters: readonly ChainAdapter[];
  readonly stuckAfterMinutes: number;
}

/** Reads the health of every network with a node, a wallet or a cursor. What a node does not say is null. */
export async function readHealth(operator: Operator, { adapters, stuckAfterMinutes }: HealthOptions): Promise<Health> {
  const { deps } = operator;
  const until = new Date(deps.clock.now().getTime() - stuckAfterMinutes * 60_000);
  const stored = await inTransaction(deps, async (em) => {
    await recordLook(em, operator, { action: 'HEALTH_READ' });
    return {
      wallets: await readWallets(em),
      observed: await readObservedHeights(em),
      due: await readDueCounts(em),
      stuck: await countStuck(em, until),
      halts: await readHalts(em),
      assetsOff: await readAssetsOff(em),
      freezes: await readFreezes(em),
    };
  });
  const named = new Set<string>([
    ...adapters.map(({ network }) => network),
    ...stored.observed.keys(),
    ...[stored.wallets, stored.due, stored.halts].flat().map(({ network }) => network),
  ]);
  const networks = NETWORK_CODES.filter((network) => named.has(network)).map(
    async (network): Promise<NetworkHealth> => {
      const adapter = adapters.find((one) => one.network === network) ?? null;
      const due = stored.due.find((one) => one.network === network);
      return {
        network,
        observed: stored.observed.get(network) ?? null,
        payoutsDue: due?.payoutsDue ?? 0,
        oldestDueAt: due?.oldestDueAt ?? null,
        stuck: stored.stuck.get(network) ?? 0,
        halt: stored.halts.find((one) => one.network === network) ?? null,
        assetsOff: stored.assetsOff.filter((one) => one.network === network),
        ...(await askNode(deps.environment, adapter)),
        ...(await readWalletHealth(
          deps.db.em,
          adapter,
          stored.wallets.filter((one) => one.network === network),
        )),
      };
    },
  );
  return { networks: await Promise.all(networks), freezes: stored.freezes };
}

type NodeHealth = Pick<NetworkHealth, 'available' | 'reason' | 'tip' | 'tipAt'>;

/** A sandbox's node need not be the chain that its network is named after, so only live nodes are verified. */
async function askNode(environment: 'sandbox' | 'live', adapter: ChainAdapter | null): Promise<NodeHealth> {
  const nothing = { reason: null, tip: null, tipAt: null };
  if (!adapter) return { available: null, ...nothing };
  try {
    if (environment === 'live') await adapter.verify();
    const { height, time } = await adapter.tip();
    return { available: true, reason: null, tip: height, tipAt: time };
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return { ...nothing, available: false, reason: error.message };
  }
}

async function readWalletHealth(
  em: EntityManager,
  adapter: ChainAdapter | null,
  wallets: readonly Wallet[],
): Promise<Pick<NetworkHealth, 'hot' | 'gas'>> {
  const look = async (role: Wallet['role']): Promise<WalletHealth | null> => {
    const wallet = wallets.find((one) => one.role === role);
    if (!wallet) return null;
    const address = adapter?.addressFor(wallet.key) ?? wallet.key;
    return { address, holds: adapter && (await describeHoldings(em, adapter, wallet)) };
  };
  return { hot: await look('HOT'), gas: await look('GAS') };
}

/** As texts: what it holds, and its coin even if it has none. */
async function describeHoldings(em: EntityManager, adapter: ChainAdapter, wallet: Wallet): Promise<string[] | null> {
  const { network } = adapter;
  const holdings = await readHoldings(em, adapter, wallet);
  if (holdings === null) return null;
  return [...holdings]
    .filter(([currency, units]) => units > 0n || currency === NETWORKS[network].coin)
    .map(([currency, units]) => `${formatAmount(units, assetOf({ currency, network }).decimals)} ${currency}`);
}
