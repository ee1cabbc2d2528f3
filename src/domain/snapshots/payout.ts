// The payout snapshot: a withdrawal or refund as callers see it.

import type { Payout } from '../../entities/payout.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, type Network } from '../../values/assets.ts';
import type { HeldReason } from '../../values/held-reasons.ts';
import type { PayoutStatus } from '../../values/payouts/state.ts';

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
  /** The entry of the book that a withdrawal goes to. */
  readonly addressId: string | null;
  /** The batch that a withdrawal is a row of. */
  readonly batchId: string | null;
  /** Why it failed or was rejected, in words. */
  readonly failureReason: string | null;
  /** The key or person that asked for it. */
  readonly requestedBy: string | null;
  /** Who approved or rejected it. */
  readonly decidedBy: string | null;
  readonly updatedAt: Date;
  readonly completedAt: Date | null;
}

/** The columns that a snapshot needs; entities and raw rows both have them. */
export type PayoutRow = Pick<Payout, Exclude<keyof PayoutSnapshot, 'failureReason'> | 'failure'>;

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
    addressId: payout.addressId ?? null,
    batchId: payout.batchId ?? null,
    failureReason: payout.failure ?? null,
    requestedBy: payout.requestedBy ?? null,
    decidedBy: payout.decidedBy ?? null,
    updatedAt: payout.updatedAt,
    completedAt: payout.completedAt ?? null,
  };
}

/** Reads an answer that was kept for repeats, perhaps by a program that knew fewer fields. */
export function keptPayout(kept: Omit<PayoutSnapshot, keyof typeof SINCE | 'updatedAt'>): PayoutSnapshot {
  return { ...SINCE, updatedAt: kept.createdAt, ...kept };
}

const SINCE = {
  ...{ addressId: null, batchId: null, failureReason: null, requestedBy: null, decidedBy: null, completedAt: null },
} as const;

/** A payout as REST shows it (contract, section 4), as webhooks carry it. */
export function restPayoutOf(payout: PayoutSnapshot): object {
  const { id, paymentId, status, amount, networkFee, currency, network, address, txHash, createdAt } = payout;
  const { heldReason, merchantWithdrawalId, addressId, batchId, failureReason, updatedAt, completedAt } = payout;
  const later = { failureReason, updatedAt, completedAt };
  if (paymentId !== null)
    return { refundId: id, orderId: paymentId, status, amount, address, txHash, heldReason, createdAt, ...later };
  const money = { withdrawalId: id, status, amount, networkFee, currency, network, address, txHash, createdAt };
  return { ...money, merchantWithdrawalId, heldReason, addressId, batchId, ...later };
}

/** Reads back what an event stored. Dates stay ISO texts, which the date scalar passes through. */
export const payoutFromPayload = (payload: Record<string, unknown>): PayoutSnapshot =>
  payload as unknown as PayoutSnapshot;
