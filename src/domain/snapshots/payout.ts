// The payout snapshot: a withdrawal or refund as callers see it.

import type { PayoutStatus } from '../../entities/enums.ts';
import type { Payout } from '../../entities/payout.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, type Network } from '../../values/assets.ts';
import type { HeldReason } from '../../values/held-reasons.ts';

/** Amounts are canonical decimal strings. Dates are texts if it was read back from an earlier answer. */
export interface PayoutSnapshot {
  readonly id: string;
  readonly paymentId: string | null;
  readonly status: PayoutStatus;
  readonly amount: string;
  readonly networkFee: string;
  readonly currency: string;
  readonly network: Network;
  readonly address: string;
  readonly txHash: string | null;
  /** Why it is held; null if it is not. */
  readonly heldReason: HeldReason | null;
  readonly merchantWithdrawalId: string | null;
  readonly createdAt: Date;
}

/** The columns that a snapshot needs; entities and raw rows both have them. */
export type PayoutRow = Pick<Payout, keyof PayoutSnapshot>;

export function snapshotPayout(payout: PayoutRow): PayoutSnapshot {
  const { decimals } = assetOf(payout);
  return {
    id: payout.id,
    paymentId: payout.paymentId ?? null,
    status: payout.status,
    amount: formatAmount(payout.amount, decimals),
    networkFee: formatAmount(payout.networkFee, decimals),
    currency: payout.currency,
    network: payout.network,
    address: payout.address,
    txHash: payout.txHash ?? null,
    heldReason: payout.heldReason ?? null,
    merchantWithdrawalId: payout.merchantWithdrawalId ?? null,
    createdAt: payout.createdAt,
  };
}
