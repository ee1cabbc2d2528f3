// Claims gap arrivals: money that came to addresses of lost orders leaves suspense when the operator names it, as a
// whole and once it is final, and can then be spent. Other moves out of suspense cannot use it.

import type { EntityManager } from '../../database/connection.ts';
import { readCursor } from '../../database/queries/chain/chain-cursor.ts';
import {
  explainArrival,
  findArrival,
  sumArrivals,
  type GapArrival,
} from '../../database/queries/chain/gap-arrivals.ts';
import { changeHoldingsAt } from '../../database/queries/ledger/holdings.ts';
import { lockMovements } from '../../database/queries/ledger/suspense.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, type Asset, type Network } from '../../values/assets.ts';
import { GatewayError, invalid } from '../../values/errors.ts';

/** An arrival at an address of a lost order, as the operator names it. */
export interface NamedArrival {
  /** Its number in the list of what is in suspense. */
  readonly id: string;
  /** The confirmations it needs on its network, so that no reorganisation removes it once it is spent. */
  confirmationsOn(network: Network): number;
}

/** The part of suspense that a move may use. */
export interface Claim {
  readonly arrivalId: string | null;
  /** Base units of arrivals that this move does not name and so cannot use. */
  readonly kept: bigint;
  /** Makes the arrival spendable. Call it once everything else that the transaction needs is locked. */
  release(): Promise<void>;
}

/** Checks a move, after locking out other moves and new blocks. */
export async function claim(
  em: EntityManager,
  { asset, amount, arrival }: { asset: Asset; amount: bigint; arrival: NamedArrival | null },
): Promise<Claim> {
  // Observations lock cursor, payments and accounts in this order; so does this.
  const cursor = await readCursor(em, asset.network, true);
  await lockMovements(em);
  if (arrival === null)
    return { arrivalId: null, kept: amount > 0n ? await sumArrivals(em, asset) : 0n, release: () => Promise.resolve() };
  const { id } = arrival;
  const found = /^\d{1,18}$/.test(id) ? await findArrival(em, id) : null;
  if (!found) throw new GatewayError('NOT_FOUND', { message: `There is no arrival ${id} that waits in suspense` });
  checkArrival(found, asset, amount);
  const [has, needed] = [(cursor?.height ?? 0) - found.height + 1, arrival.confirmationsOn(asset.network)];
  if (has < needed) {
    const message = `Arrival ${id} has ${String(has)} of ${String(needed)} confirmations`;
    throw new GatewayError('INSUFFICIENT_FUNDS', { message });
  }
  const release = async () => {
    await explainArrival(em, id);
    await changeHoldingsAt(em, asset.network, [{ ...found, units: found.amount }]);
  };
  return { arrivalId: id, kept: 0n, release };
}

/** An output can only be spent as a whole, so an arrival can only be moved as a whole. */
function checkArrival({ id, network, currency, amount }: GapArrival, asset: Asset, units: bigint): void {
  if (network === asset.network && currency === asset.currency && amount === units) return;
  const own = assetOf({ network, currency });
  const what = `${formatAmount(amount, own.decimals)} ${currency} on ${network}`;
  throw invalid([{ path: 'arrival', message: `arrival ${id} is ${what}, which are moved as a whole` }]);
}
