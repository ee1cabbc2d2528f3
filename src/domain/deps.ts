// What the domain works with. Handed as the first argument; the composition root makes it once.

import type { Logger } from 'pino';
import type { ChainAdapter } from '../chain/adapter.ts';
import type { Clock } from '../database/clock.ts';
import type { Database, EntityManager } from '../database/connection.ts';
import type { Asset, Network } from '../values/assets.ts';
import type { PayoutBounds } from '../values/payout-bounds.ts';
import type { Actor } from './actor.ts';
import type { AssetsOff } from './assets/out-of-service.ts';

/** A network this deployment has a node for. */
export interface Chain {
  readonly adapter: ChainAdapter;
  readonly requiredConfirmations: number;
  /** Names the account whose extended public key its addresses are derived from, e.g. `evm`. */
  readonly account: string;
  /** The flat fee of a payout by currency, in base units; none where it is not configured. */
  readonly networkFees: ReadonlyMap<string, bigint>;
  /** What is charged on top where the recipient has no account for a token yet; none where it is not configured. */
  readonly newAccountFees?: ReadonlyMap<string, bigint>;
  /** What a payout may cost; the network's defaults where it is not configured. */
  readonly payoutBounds?: PayoutBounds;
  /** Deposits of more than this, in base units by currency, are credited only once a second node has shown them. */
  readonly quorumAbove?: ReadonlyMap<string, bigint>;
  /** Whether its node is there and is what it should be; where nobody looks, it is. */
  readonly isAvailable?: () => boolean;
}

/** Tells loops of this process that there is work; without it they find it at their next look. */
export interface Signals {
  /** Events were committed. */
  events(): void;
  /** A chain may have moved. */
  chain(network: Network): void;
  /** A payout waits to be sent. */
  payouts(network: Network): void;
  /** Webhook deliveries are due. */
  deliveries(): void;
}

export interface Deps {
  /** Who acts, for the audit log; nobody where the gateway acts of itself. */
  readonly actor?: Actor;
  readonly db: Database;
  readonly clock: Clock;
  readonly environment: 'sandbox' | 'live';
  readonly chains: ReadonlyMap<Network, Chain>;
  /** The assets that are out of service, as this process knows them; none where nobody looks. */
  readonly assetsOff?: Pick<AssetsOff, 'isOff'>;
  readonly payUrl: string;
  readonly webhookAllowPrivate: boolean;
  readonly signals: Signals;
  readonly log: Logger;
}

/** The chain that takes an asset at this moment; null where there is no node for it, or none that is as it should be. */
export function chainFor({ chains }: Pick<Deps, 'chains'>, { currency, network }: Asset): Chain | null {
  const chain = chains.get(network);
  if (!chain?.adapter.contracts.has(currency) || chain.isAvailable?.() === false) return null;
  return chain;
}

/** The chain that takes new orders of an asset at this moment; null as for `chainFor`, and while the asset is out of service. */
export function chainForOrders(deps: Pick<Deps, 'chains' | 'assetsOff'>, asset: Asset): Chain | null {
  return deps.assetsOff?.isOff(asset) === true ? null : chainFor(deps, asset);
}

/** Runs a unit of work in one transaction of its own. */
export function inTransaction<Result>(
  deps: Pick<Deps, 'db'>,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  return deps.db.em.fork().transactional(work);
}
