// Keeps the recorded holdings of deposit addresses up to date with our own transactions; sweeps are chosen by them.

import type { EntityManager } from '../../database/connection.ts';
import { changeHoldingsAt, type AddressChange } from '../../database/queries/ledger/holdings.ts';
import type { TransactionRow } from '../../database/queries/payouts/transactions.ts';
import type { Context, FinalResult } from '../context.ts';

/** Applies the result of a final transaction; with a `sign` of -1, reverts it. */
export async function keepHoldings(
  { chain, coin, wallets }: Context,
  em: EntityManager,
  row: TransactionRow,
  { status, cost, left }: FinalResult,
  sign: 1n | -1n = 1n,
): Promise<void> {
  const { senderKey, recipientKey, payerKey, currency, amount, purpose } = row;
  const changes: AddressChange[] = [
    { addressKey: payerKey ?? senderKey, currency: coin.currency, units: -cost * sign },
  ];
  if (status === 'CONFIRMED') {
    changes.push({ addressKey: senderKey, currency, units: -left * sign });
    // A payout to an address of ours is a deposit there.
    if (purpose === 'SWEEP' || purpose === 'GAS')
      changes.push({ addressKey: recipientKey, currency, units: amount * sign });
  }
  const own = [wallets.hot.key, wallets.gas.key];
  const atDeposits = changes.filter(({ addressKey }) => !own.includes(addressKey));
  await changeHoldingsAt(em, chain.adapter.network, atDeposits);
}
