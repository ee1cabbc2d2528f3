// A token that takes a fee on transfers, seen by a transaction of ours: its asset goes out of service, and what the fee
// took of our own is booked as a cost.

import { markLoss, type TransactionRow } from '../../database/queries/payouts/transactions.ts';
import { query, type EntityManager } from '../../database/connection.ts';
import { assetOf, type Asset, type Network } from '../../values/assets.ts';
import type { Deps } from '../deps.ts';
import type { Judged } from '../../chain/judge-receipt.ts';
import { bookLoss, reverseLoss } from '../ledger/payout-entries.ts';

type FeeDeps = Pick<Deps, 'clock' | 'log'>;

/** A settled transfer, and how often it was settled. */
interface Settled {
  readonly network: Network;
  readonly row: Pick<TransactionRow, 'id' | 'payoutId' | 'currency' | 'amount' | 'txHash'>;
  readonly turn: number;
}

/**
 * Takes down that a token took a fee of a transfer, in the transaction that settles it. A payout that was short stays
 * the recipient's affair and the operator's; what was taken beyond its amount, and what a transfer between our own
 * addresses lost, is ours.
 */
export async function takeDownFee(
  { clock, log }: FeeDeps,
  em: EntityManager,
  { network, row, turn }: Settled,
  { left, arrived }: Judged,
): Promise<void> {
  const now = clock.now();
  const { currency, amount, txHash } = row;
  const asset = assetOf({ currency, network });
  const lost = row.payoutId === null ? positive(left - arrived) : positive(left - amount);
  await markLoss(em, row.id, { lost, moved: positive(row.payoutId === null ? left : left - lost) });
  if (lost > 0n) await bookLoss(em, { txHash, asset, amount: lost, turn }, now);
  if (
    await takeOutOfService(
      em,
      asset,
      `transaction ${txHash} moved ${String(left)}, of which ${String(arrived)} arrived`,
      now,
    )
  )
    log.error(
      { network, currency, txHash, amount: amount.toString(), left: left.toString(), arrived: arrived.toString() },
      'a token takes a fee on transfers: its asset is out of service until an operator puts it back',
    );
}

/**
 * Takes a loss back whose block left the chain. The asset stays out of service: that its token takes a fee was seen.
 */
export async function takeBackFee(
  { clock }: Pick<FeeDeps, 'clock'>,
  em: EntityManager,
  { network, row, turn }: Settled & { readonly row: Pick<TransactionRow, 'lost'> },
): Promise<void> {
  const asset = assetOf({ currency: row.currency, network });
  if (row.lost > 0n) await reverseLoss(em, { txHash: row.txHash, asset, amount: row.lost, turn }, clock.now());
  await markLoss(em, row.id, { moved: 0n, lost: 0n });
}

const positive = (units: bigint): bigint => (units > 0n ? units : 0n);

/** False where that was known. One that an operator had taken out of service for new orders is out for payouts, too. */
async function takeOutOfService(
  em: EntityManager,
  { network, currency }: Asset,
  reason: string,
  now: Date,
): Promise<boolean> {
  const rows = await query(
    em,
    `insert into asset_off (network, currency, cause, reason, created_by, created_at)
     values ($1, $2, 'TRANSFER_FEE', $3, 'gateway', $4)
     on conflict (network, currency) do update set cause = excluded.cause, reason = excluded.reason,
       created_by = excluded.created_by, created_at = excluded.created_at
     where asset_off.cause <> 'TRANSFER_FEE' returning 1`,
    [network, currency, reason, now],
  );
  return rows.length > 0;
}
