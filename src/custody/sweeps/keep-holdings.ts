// What our own transactions take from deposit addresses, and bring to them, in the figures that sweeps are chosen by.

import type { EntityManager } from '../../database/connection.ts';
import { changeHoldingsAt, type AddressChange } from '../../database/queries/ledger/holdings.ts';
import type { TransferRow } from '../../database/queries/payouts/transactions.ts';
import type { Context, Settlement } from '../context.ts';

/** Keeps the figures when a transaction is settled; with a `sign` of -1, when it is not settled any more. */
export async function keepHoldings(
  { chain, coin, wallets }: Context,
  em: EntityManager,
  row: TransferRow,
  { status, cost, left }: Settlement,
  sign: 1n | -1n = 1n,
): Promise<void> {
  const { senderKey, recipientKey, payerKey, currency, amount, purpose } = row;
  const changes: AddressChange[] = [
    { addressKey: payerKey ?? senderKey, currency: coin.currency, units: -cost * sign },
  ];
  if (status === 'CONFIRMED') {
    changes.push({ addressKey: senderKey, currency, units: -left * sign });
    // What a payout brings to an address of ours is a deposit there.
    if (purpose === 'SWEEP' || purpose === 'GAS')
      changes.push({ addressKey: recipientKey, currency, units: amount * sign });
  }
  const own = [wallets.hot.key, wallets.gas.key];
  const atDeposits = changes.filter(({ addressKey }) => !own.includes(addressKey));
  await changeHoldingsAt(em, chain.adapter.network, atDeposits);
}
