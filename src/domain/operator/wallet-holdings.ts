// What our wallets hold.

import type { ChainAdapter } from '../../chain/adapter.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import type { EntityManager } from '../../database/connection.ts';
import type { Wallet } from '../../database/queries/chain/network-state.ts';
import { sumSpendable } from '../../database/queries/payouts/utxos.ts';
import { NETWORKS } from '../../values/assets.ts';

/**
 * By currency, in base units: what a wallet holds according to its node, a gas wallet the coin alone; on UTXO networks,
 * what payouts can spend according to the book. Null if the node does not answer.
 */
export async function readHoldings(
  em: EntityManager,
  adapter: ChainAdapter,
  { key, role }: Wallet,
): Promise<ReadonlyMap<string, bigint> | null> {
  const { network } = adapter;
  const { coin, confirmations } = NETWORKS[network];
  if (adapter.model === 'OUTPUTS') {
    const { units } = await sumSpendable(em, network, { hotKey: key, confirmations }, 0n);
    return new Map([[coin, units]]);
  }
  const held = new Map<string, bigint>();
  try {
    for (const currency of role === 'GAS' ? [coin] : adapter.contracts.keys())
      held.set(currency, (await adapter.balances([key], currency)).get(key) ?? 0n);
    return held;
  } catch (error) {
    if (!(error instanceof ChainUnavailable)) throw error;
    return null;
  }
}
