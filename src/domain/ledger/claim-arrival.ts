// Money that came to addresses of lost orders is moved out of suspense by those who name it, as a whole and once it is final:
// from then on it is ours to spend where it lies. For others it is not there.

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

/** Something that arrived at an address of a lost order. */
export interface NamedArrival {
  /** Its number in the list of what is in suspense. */
  readonly id: string;
  /** How many it must have on its network, so that no reorganisation takes it away once it is spent. */
  confirmationsOn(network: Network): number;
}

/** What is to be moved out of suspense. */
export interface Claim {
  readonly arrivalId: string | null;
  /** Base units that came to addresses of lost orders and are not for those who do not name them. */
  readonly kept: bigint;
  /** Makes an arrival ours to spend; for when all else of the transaction is locked. */
  release(): Promise<void>;
}

/** Looks at what is to be moved, once nobody else can move anything nor any block be read. */
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

/** An output is spent as a whole, and so an arrival is moved as a whole. */
function checkArrival({ id, network, currency, amount }: GapArrival, asset: Asset, units: bigint): void {
  if (network === asset.network && currency === asset.currency && amount === units) return;
  const own = assetOf({ network, currency });
  const what = `${formatAmount(amount, own.decimals)} ${currency} on ${network}`;
  throw invalid([{ path: 'arrival', message: `arrival ${id} is ${what}, which are moved as a whole` }]);
}
