// What the domain works with: the first argument of its functions, made once by the composition root.

import type { Logger } from 'pino';
import type { ChainAdapter } from '../chain/adapter.ts';
import type { Clock } from '../database/clock.ts';
import type { Database, EntityManager } from '../database/connection.ts';
import type { Network } from '../values/assets.ts';
import type { PayoutBounds } from '../values/payout-bounds.ts';
import type { Actor } from './actor.ts';
import type { AssetsOff } from './assets/out-of-service.ts';
import type { CellDirectory } from './cell-directory.ts';
import type { Rates } from './rates/rates.ts';

/** A network this deployment has a node for. */
export interface Chain {
  readonly adapter: ChainAdapter;
  readonly requiredConfirmations: number;
  /** Names the account whose extended public key its addresses are derived from, e.g. `evm`. */
  readonly account: string;
  /** The flat fee of a payout by currency, in base units; a currency without one costs nothing. */
  readonly networkFees: ReadonlyMap<string, bigint>;
  /** Added, in base units, where the recipient has no account for the token yet; nothing for other currencies. */
  readonly newAccountFees?: ReadonlyMap<string, bigint>;
  /** The only address that fees leave to; none is known to the sandbox. */
  readonly coldAddress?: string;
  /** What sending a payout may cost; the network's defaults apply without it. */
  readonly payoutBounds?: PayoutBounds;
  /** By currency, in base units: larger deposits are credited only after a second node has shown them. */
  readonly quorumAbove?: ReadonlyMap<string, bigint>;
  /** Whether its node answers and is the right one; without it, the network always counts as available. */
  readonly isAvailable?: () => boolean;
}

/** Wakes loops of this process when there is work; they would find it at their next poll anyway. */
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
  /** Who acts, for the audit log; absent when the gateway acts on its own. */
  readonly actor?: Actor;
  readonly db: Database;
  readonly clock: Clock;
  readonly environment: 'sandbox' | 'live';
  readonly chains: ReadonlyMap<Network, Chain>;
  /** The assets that are out of service, as this process knows them; without it, all are in service. */
  readonly assetsOff?: Pick<AssetsOff, 'isOff'>;
  /** Without it no asset has a rate: nothing is quoted, and late deposits count at their quotes' rates. */
  readonly rates?: Rates;
  readonly payUrl: string;
  /** Where people of other cells are found; without it, a cell knows its own people alone. */
  readonly directory?: Pick<CellDirectory, 'take' | 'elsewhere' | 'cells'>;
  /** Whether people are told by mail: not in live without a mail server, and not without this. */
  readonly sendsMail?: boolean;
  /** How long a payout waits to be approved, in milliseconds; three days without it. */
  readonly approvalMs?: number;
  readonly webhookAllowPrivate: boolean;
  readonly signals: Signals;
  readonly log: Logger;
}

/** Runs a unit of work in a transaction of its own. */
export function inTransaction<Result>(
  deps: Pick<Deps, 'db'>,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  return deps.db.em.fork().transactional(work);
}
